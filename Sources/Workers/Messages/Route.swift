package import Domain

/// How the messages of a channel are sent.
package enum Route: Sendable {
    /// Messages are published for gateways, which answer with the outcome.
    case gateway
    /// Messages are only logged, with their text in development.
    case log(showsText: Bool)
    /// The service itself sends messages, and the function returns when the provider has accepted the message.
    case direct(@Sendable (ComposedMessage) async throws(MessageFailure) -> Void)

    /// The name of the route that only logs messages.
    package static let logName = "log"
    /// The name of the route that sends messages through gateways.
    static let gatewayName = "gateway"

    /// Returns the name by which the channel's setting refers to this route.
    func name(of channel: OutgoingMessage.Channel) -> String {
        switch (self, channel) {
        case (.gateway, _): Self.gatewayName
        case (.log, _): Self.logName
        case (.direct, .email): "smtp"
        case (.direct, _): "webhook"
        }
    }
}

/// A message with its text, as the service sends it.
package struct ComposedMessage: Sendable {
    /// The id by which the provider can recognise and drop a repeated message.
    package var id: MessageID
    /// The recipient: an e-mail address, or a phone number with `+` and its country code.
    package var to: String
    /// The country code of the phone number or, for an e-mail address, of the user.
    package var countryCode: String?
    /// The template, for a provider that has texts of its own.
    package var template: OutgoingMessage.Template
    /// The values for the template, including `language`.
    package var params: [String: String]
    /// The time at which the message becomes useless.
    package var expiresAt: Instant
    /// The name of the app.
    package var appName: String
    /// The text of the message.
    package var text: MessageText
}

extension ComposedMessage {
    /// Creates a composed message from a queued message and its text.
    init(_ message: OutgoingMessage, appName: String, text: MessageText) {
        id = message.id
        to = message.fullAddress
        countryCode = message.countryCode
        template = message.template
        params = message.params
        params["language"] = text.language
        expiresAt = message.expiresAt
        self.appName = appName
        self.text = text
    }
}

extension OutgoingMessage {
    /// Whether the terminal may learn only the channel's condition, but not whether the account exists.
    var isGuarded: Bool {
        guard template == .code else { return true }
        switch params["purpose"] {
        case "resetPassword": return true
        case "login": return channel == .email
        default: return false
        }
    }

    /// The code or link that the message contains, if any.
    package var secret: String? { params["code"] ?? params["url"] }

    /// Returns a provider's text as one line, without the secrets and the address of this message.
    func redacted(_ text: String) -> String {
        let line = text.unicodeScalars.prefix(300).map { scalar in
            scalar.properties.generalCategory == .control ? " " : String(scalar)
        }.joined()
        let secrets = (Array(params.values) + [to]).filter { $0.utf8.count > 3 }
            .sorted { $0.utf8.count > $1.utf8.count }
        return secrets.reduce(line) { $0.replacing($1, with: "***") }
            .split(separator: " ", omittingEmptySubsequences: false)
            .map { Self.isTelling($0) ? "***" : $0 }.joined(separator: " ")
    }

    /// Returns whether a word may be a code, phone number, e-mail address or link.
    private static func isTelling(_ word: Substring) -> Bool {
        word.contains("@") || word.contains("://") || word.count { $0.isNumber } > 3
    }
}
