/// A secret with which a maker's server asks for its app's users.
///
/// To the gate it is a session on a terminal of its own, whose session id and uid are the key's id.
/// The rules in words (reference: sessions#keys).
package struct APIKey: Sendable, Equatable {
    /// The key's id.
    package var id: KeyID
    /// The app whose users it acts for.
    package var app: AppID
    /// The name, by which effects show the server; unique among the app's live keys.
    package var name: String
    /// The terminal that its messages come from.
    package var terminal: TerminalID
    /// Its scopes, in their order.
    package var scopes: [KeyScope]
    /// The moment at which it was made.
    package var createdAt: Instant
    /// The moment from which it is refused; nil for a key without an end.
    package var expiresAt: Instant?
    /// The time of its last use, to the minute; nil before the first.
    package var lastSeenAt: Instant?
    /// The time at which it was revoked or expired.
    package var endedAt: Instant?
    /// Whether the secret before the last rotation may still work, until the new one is used.
    package var hasOldToken = false

    /// Describes a new key.
    package init(
        id: KeyID,
        app: AppID,
        name: String,
        terminal: TerminalID,
        scopes: [KeyScope],
        createdAt: Instant,
        expiresAt: Instant?
    ) {
        (self.id, self.app, self.name, self.terminal) = (id, app, name, terminal)
        (self.scopes, self.createdAt, self.expiresAt) = (scopes, createdAt, expiresAt)
    }

    /// The beginning of every key's secret, which no session's token has.
    package static let prefix = "llk_"
    /// The longest time for which a rotated key's previous secret works, in seconds.
    package static let overlapSeconds: Int64 = 86_400

    /// Returns whether a name can be a key's: 1 to 32 letters, digits, `-` and `_`.
    package static func isName(_ text: String) -> Bool {
        text.utf8.count <= 32 && PlainForm.accepts(text.utf8)
    }

    /// Returns the refusal of a request with this key at a moment; nil while it is valid.
    package func refusal(at now: Instant) -> Rejection? {
        let hasExpired = expiresAt.map { $0 <= now } ?? false
        guard endedAt != nil || hasExpired else { return nil }
        let reason = hasExpired ? Session.EndReason.expired : .operator
        return Rejection(
            .invalidToken,
            "The key has ended; an operator makes a new one with `lamplighter key add`.",
            field: "token",
            reason: reason.rawValue
        )
    }

    /// Returns the refusal of a method that the key's scopes don't allow; nil for an allowed one.
    package func refusal(of service: String, _ method: String, isReading: Bool) -> Rejection? {
        guard let known = KeyScope.Service(rawValue: service), known.allows(method) else {
            return Rejection(.forbidden, "A key can't call \(service)/\(method).")
        }
        if scopes.contains(where: { $0.service == known && (isReading || !$0.isReading) }) { return nil }
        let isShort = isReading || !scopes.contains { $0.service == known }
        return Rejection(
            .forbidden,
            isShort ? "The key has no scope \(service)." : "The key's scope \(service):read only reads."
        )
    }

    /// Returns whether a key names the user that it acts for; other methods act for the app.
    package static func actsForUser(_ service: String, _ method: String) -> Bool {
        service != KeyScope.Service.events.rawValue && "\(service)/\(method)" != "notification/send"
    }
}

/// A service whose methods a key can call: all of them, or those that only read.
package struct KeyScope: Sendable, Hashable {
    /// The services that keys can call.
    package enum Service: String, Sendable, CaseIterable {
        case events, device, home, share, schedule, notification, account

        /// Returns whether keys can call a method of the service.
        ///
        /// Logins, passwords and addresses are the user's own affair.
        func allows(_ method: String) -> Bool {
            self != .account || ["whoami", "getUser", "updateProfile"].contains(method)
        }
    }

    /// The service.
    package let service: Service
    /// Whether the scope only allows methods that change nothing.
    package let isReading: Bool

    /// Reads a scope such as `device` or `device:read`; nil for any other text.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let service = parts.first.flatMap({ Service(rawValue: String($0)) }) else { return nil }
        guard parts.count == 1 || parts.count == 2 && parts[1] == "read" else { return nil }
        (self.service, isReading) = (service, parts.count == 2)
    }

    /// The scope as text.
    package var text: String { isReading ? "\(service.rawValue):read" : service.rawValue }

    /// All scopes as texts, for messages.
    package static let known = Service.allCases.map(\.rawValue).joined(separator: ", ")
}
