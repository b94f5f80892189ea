import Domain
import Files
import JSON
import Problems
import Providers
import ServiceSettings
import Workers

/// The routes by which outgoing messages are sent, according to the settings.
package enum MessageRoutes {
    /// Returns the route of each channel.
    static func make(_ context: RunContext) throws -> [OutgoingMessage.Channel: Route] {
        let settings = context.settings
        return [
            .email: try route(settings.emailDelivery, context) { try smtp(settings) },
            .sms: try route(settings.smsDelivery, context) { try webhook(settings) },
        ]
    }

    private static func route(_ word: String, _ context: RunContext, direct: () throws -> Route) throws -> Route {
        switch word {
        case "smtp", "webhook": try direct()
        case "log": .log(showsText: context.ownsBroker)
        case "gateway": .gateway
        // If the service runs its own broker, as in a trial, the service by default logs messages instead of sending
        // them.
        default: context.ownsBroker ? .log(showsText: true) : .gateway
        }
    }

    // MARK: Mail

    /// Returns a client of the mail server, and the sender's address.
    static func mailServer(_ settings: Settings) throws -> (SMTPClient, from: MailAddress) {
        guard let from = MailAddress(settings.smtpFrom) else {
            throw wrong("smtp.from", "must be an e-mail address", example: "no-reply@example.org")
        }
        do {
            let client = SMTPClient(
                try SMTPSettings(
                    host: settings.smtpHost,
                    port: settings.smtpPort == 0 ? nil : settings.smtpPort,
                    security: SMTPSettings.Security(rawValue: settings.smtpSecurity) ?? .startTLS,
                    caFile: settings.smtpCAFile,
                    user: settings.smtpUser,
                    password: try settings.smtpPasswordFile.map(SecretFile.read),
                    connectTimeoutSeconds: min(10, settings.smtpTimeout),
                    timeoutSeconds: settings.smtpTimeout
                )
            )
            return (client, from)
        } catch let rejection as Rejection {
            throw wrong("smtp.\(rejection.field ?? "host")", rejection.message, example: "smtp.example.org")
        }
    }

    private static func smtp(_ settings: Settings) throws -> Route {
        let (client, from) = try mailServer(settings)
        // curl blocks, so each mail is sent on a thread of its own.
        let blocking = BlockingPool(max: 64)
        return .direct { (message) async throws(MessageFailure) in
            try await hand(message, from, to: client, on: blocking)
        }
    }

    private static func hand(
        _ message: ComposedMessage,
        _ from: MailAddress,
        to client: SMTPClient,
        on blocking: BlockingPool
    ) async throws(MessageFailure) {
        guard let to = MailAddress(message.to) else { throw .refused("The address can't be written in a mail.") }
        let mail = MailMessage(
            from: from,
            fromName: message.appName,
            to: to,
            subject: message.text.subject,
            plain: message.text.text,
            html: message.text.html,
            id: message.id.text,
            date: SystemClock().now.milliseconds / 1000
        )
        do {
            try await blocking.run { try client.send(mail) }
        } catch let failure as MessageFailure {
            throw failure
        } catch {
            throw .unavailable("Too many mails are being sent.")
        }
    }

    static func wrong(_ key: String, _ why: String, example: String) -> Problem {
        let flag = SettingsTable.setting(key)?.environmentName ?? key
        return Problem.routeUnusable(key: key, why: why, variable: flag, example: example)
    }
}

extension MessageRoutes {
    /// The HTTP client, kept until the process ends so that the last message can be sent.
    private static let client = WebClient()

    /// Returns the route that posts text messages to a webhook.
    ///
    /// The body has the form `{"messageId", "to", "countryCode", "template", "params", "appName", "expiresAt",
    /// "text"}`. Messages to gateways have the same form, except that they don't contain the text. In the body, `to` is
    /// the full phone number.
    static func webhook(_ settings: Settings) throws -> Route {
        let hook = try textWebhook(settings)
        return .direct { (message) async throws(MessageFailure) in
            let params = message.params.sorted { $0.key < $1.key }.map { name, value in (name, JSONValue.string(value))
            }
            let body = JSONObject(showing: [
                "messageId": message.id, "to": message.to, "countryCode": message.countryCode,
                "template": message.template.rawValue, "params": JSONObject(params), "appName": message.appName,
                "expiresAt": message.expiresAt, "text": message.text.sms,
            ])
            try await hook.send(body)
        }
    }

    /// Returns the configured webhook for text messages.
    static func textWebhook(_ settings: Settings) throws -> TextWebhook {
        do {
            let token = try settings.webhookTokenFile.map(SecretFile.read)
            return try TextWebhook(client: client, url: settings.webhookURL, token: token)
        } catch let rejection as Rejection {
            let key = "webhook.\(rejection.field == "token" ? "tokenFile" : "url")"
            throw wrong(key, rejection.message, example: "https://texts.example.org/send")
        }
    }
}
