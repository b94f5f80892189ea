import Domain
import JSON
import Providers
import Workers

extension DeliveryRoutes {
    /// Lives as long as the process: it must not end before the last message was posted.
    private static let client = WebClient()

    /// Texts are posted to a webhook: `{"messageId", "to", "text", "appName"}`.
    static func webhook(_ settings: Settings) throws -> Route {
        let hook: TextWebhook
        do {
            hook = try TextWebhook(
                client: client,
                url: settings.webhookURL,
                token: try settings.webhookTokenFile.map(SecretFile.read)
            )
        } catch let rejection as Rejection {
            throw wrong(
                "webhook.\(rejection.field == "token" ? "tokenFile" : "url")",
                rejection.message,
                "https://texts.example.org/send"
            )
        }
        return .direct { (message) async throws(DeliveryFailure) in
            let body: JSONObject = [
                "messageId": .string(message.id.text), "to": .string(message.to),
                "text": .string(message.text.sms), "appName": .string(message.appName),
            ]
            do throws(SendFailure) {
                try await hook.send(body)
            } catch {
                throw translated(error)
            }
        }
    }
}
