package import Domain

/// The way in which the messages of a channel are sent.
package enum Route: Sendable {
    /// Published for gateways, which answer.
    case gateway
    /// Not sent, only logged; in development with the text.
    case log(showsText: Bool)
    /// Sent by the service itself; returns when the other side has accepted it.
    case direct(@Sendable (ComposedMessage) async throws(MessageFailure) -> Void)

    /// The name of the route that sends nothing.
    package static let logName = "log"
    /// The name of the route over gateways.
    static let gatewayName = "gateway"

    /// Returns the route's name in the channel's setting.
    func name(of channel: OutgoingMessage.Channel) -> String {
        switch (self, channel) {
        case (.gateway, _): Self.gatewayName
        case (.log, _): Self.logName
        case (.direct, .email): "smtp"
        case (.direct, .sms): "webhook"
        }
    }
}

/// A message as the service sends it.
package struct ComposedMessage: Sendable {
    /// The id by which the other side can drop a repeat.
    package var id: MessageID
    /// An e-mail address, or a phone number with `+` and its country code.
    package var to: String
    /// The country code of the number, or the user's.
    package var countryCode: String?
    /// The template, for a provider with its own texts.
    package var template: OutgoingMessage.Template
    /// The values for the template, including `language`.
    package var params: [String: String]
    /// The time from which it is useless.
    package var expiresAt: Instant
    /// The name of the app.
    package var appName: String
    /// The text.
    package var text: MessageText
}

/// The reason why a message was not accepted.
package enum MessageFailure: Error, Sendable, Equatable {
    /// The other side refuses this message.
    case refused(String)
    /// The other side will always refuse it, for example because the address does not exist.
    case final(String)
    /// The other side can't be reached, or accepts nothing at present.
    case unavailable(String)

    /// The reason, for operators.
    package var reason: String {
        switch self {
        case .refused(let reason), .final(let reason), .unavailable(let reason): reason
        }
    }
}

extension ComposedMessage {
    /// Creates a message from a queued message and its text.
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
    /// Whether its outcome must not reveal whether the account exists: as with a dummy, it shows only the channel's
    /// condition.
    var isGuarded: Bool {
        guard template == .code else { return true }
        switch params["purpose"] {
        case "resetPassword": return true
        case "login": return channel == .email
        default: return false
        }
    }

    /// The code or link in it, if any.
    package var secret: String? { params["code"] ?? params["url"] }

    /// Returns a text from outside on one line, without the secrets and the address of this message.
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

    /// Returns whether a word may be a code, a phone number, an e-mail address or a link.
    private static func isTelling(_ word: Substring) -> Bool {
        word.contains("@") || word.contains("://") || word.count { $0.isNumber } > 3
    }
}
