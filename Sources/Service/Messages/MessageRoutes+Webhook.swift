import Domain
import JSON
import Providers
import Workers

extension MessageRoutes {
    /// Lives as long as the process: it must not end before the last message was posted.
    private static let client = WebClient()

    /// Texts are posted to a webhook as gateways get them, with the number in full and the words:
    /// `{"messageId", "to", "countryCode", "template", "params", "appName", "expiresAt", "text"}`.
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
        return .direct { (message) async throws(MessageFailure) in
            let params = message.params.sorted { $0.key < $1.key }.map { name, value in
                (name, JSONValue.string(value))
            }
            let body = JSONObject([
                ("messageId", .string(message.id.text)), ("to", .string(message.to)),
                ("countryCode", message.countryCode.map { .string($0) }),
                ("template", .string(message.template.rawValue)),
                ("params", .object(JSONObject(params))), ("appName", .string(message.appName)),
                ("expiresAt", .integer(message.expiresAt.milliseconds)),
                ("text", .string(message.text.sms)),
            ])
            do throws(SendFailure) {
                try await hook.send(body)
            } catch {
                throw translated(error)
            }
        }
    }
}
