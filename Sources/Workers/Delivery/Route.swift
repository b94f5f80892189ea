package import Domain

/// How the messages of a channel leave the house.
package enum Route: Sendable {
    /// Published for gateways, which answer.
    case gateway
    /// Not at all: a line in the log says that there is one, in development with its text.
    case log(showsText: Bool)
    /// Handed over by the service itself; returns when the other side has taken it.
    case direct(@Sendable (OutgoingMessage) async throws(DeliveryFailure) -> Void)
}

/// A message as the service hands it over.
package struct OutgoingMessage: Sendable {
    /// By which the other side may drop a repeat.
    package var id: MessageID
    /// An e-mail address, or a phone number with `+` and its country code.
    package var to: String
    /// The country code of the number, or the user's.
    package var countryCode: String?
    /// Which message it is, for a side that has words of its own.
    package var template: Delivery.Template
    /// What fills the words, `language` among it.
    package var params: [String: String]
    /// When it has lost its meaning.
    package var expiresAt: Instant
    /// In whose name.
    package var appName: String
    /// What it says.
    package var text: MessageText
}

/// Why a message was not taken.
package enum DeliveryFailure: Error, Sendable, Equatable {
    /// The other side won't have this message, now or later.
    case refused(String)
    /// It never will: there is nobody at that address, say. Another try is of no use.
    case final(String)
    /// The other side can't be reached, or takes nothing at present.
    case unavailable(String)

    /// The reason, for operators.
    package var reason: String {
        switch self {
        case .refused(let reason), .final(let reason), .unavailable(let reason): reason
        }
    }
}

extension OutgoingMessage {
    /// A delivery with its words, as it is handed over.
    init(_ delivery: Delivery, appName: String, text: MessageText) {
        id = delivery.id
        to = delivery.fullAddress
        countryCode = delivery.countryCode
        template = delivery.template
        params = delivery.params
        params["language"] = text.language.rawValue
        expiresAt = delivery.expiresAt
        self.appName = appName
        self.text = text
    }
}

extension Delivery {
    /// The address as the world writes it: a phone number with `+` and its country code.
    var fullAddress: String {
        switch channel {
        case .email: to
        case .sms: "+\(countryCode ?? "")\(to)"
        }
    }

    /// Whether how its sending went must not tell whether there is such an account: as for a
    /// dummy's, only the state of the channel shows.
    var isGuarded: Bool {
        guard template == .code else { return true }
        switch params["purpose"] {
        case "resetPassword": return true
        case "login": return channel == .email
        default: return false
        }
    }

    /// A text from outside, on one line, without what this message says in confidence and without
    /// its address.
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

    /// Whether a word may be a code, a phone number, an e-mail address or a link.
    private static func isTelling(_ word: Substring) -> Bool {
        word.contains("@") || word.contains("://") || word.count { $0.isNumber } > 3
    }
}
