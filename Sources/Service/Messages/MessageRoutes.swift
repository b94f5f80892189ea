import Domain
import JSON
import Providers
import Workers

/// The routes of outgoing messages, from the settings.
enum MessageRoutes {
    /// Returns the route of each channel.
    ///
    /// - Throws: A `Problem` where a setting that the route needs is missing or wrong.
    static func make(_ context: RunContext) throws -> [OutgoingMessage.Channel: Route] {
        let settings = context.settings
        return [
            .email: try route(settings.emailDelivery, context) { try smtp(settings) },
            .sms: try route(settings.smsDelivery, context) { try webhook(settings) },
        ]
    }

    private static func route(
        _ word: String,
        _ context: RunContext,
        direct: () throws -> Route
    ) throws -> Route {
        switch word {
        case "smtp", "webhook": try direct()
        case "log": .log(showsText: context.ownsBroker)
        case "gateway": .gateway
        // Only a private broker, on loopback, is a place for trials.
        default: context.ownsBroker ? .log(showsText: true) : .gateway
        }
    }

    // MARK: Mail

    private static func smtp(_ settings: Settings) throws -> Route {
        guard let from = MailAddress(settings.smtpFrom) else {
            throw wrong("smtp.from", "must be an e-mail address", "no-reply@example.org")
        }
        let client: SMTPClient
        do {
            client = SMTPClient(
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
        } catch let rejection as Rejection {
            throw wrong("smtp.\(rejection.field ?? "host")", rejection.message, "smtp.example.org")
        }
        // curl blocks, so each mail is handed over on a thread of its own.
        let blocking = BlockingPool(max: 64)
        return .direct { (message) async throws(MessageFailure) in
            try await hand(message, from, client, blocking)
        }
    }

    private static func hand(
        _ message: ComposedMessage,
        _ from: MailAddress,
        _ client: SMTPClient,
        _ blocking: BlockingPool
    ) async throws(MessageFailure) {
        guard let to = MailAddress(message.to) else {
            throw .refused("The address can't be written in a mail.")
        }
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
        } catch let failure as SendFailure {
            throw translated(failure)
        } catch {
            throw .unavailable("Too many mails are on their way.")
        }
    }

    static func translated(_ failure: SendFailure) -> MessageFailure {
        failure.isPermanent ? .refused(failure.summary) : .unavailable(failure.summary)
    }

    static func wrong(_ key: String, _ why: String, _ example: String) -> Problem {
        let flag = SettingsTable.setting(key)?.environmentName ?? key
        return Problem(
            .settingInvalid,
            "\(key) cannot be used",
            at: key,
            why: why,
            cures: [.init("export \(flag)=\(example)", "for example")]
        )
    }
}
