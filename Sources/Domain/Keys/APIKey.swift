/// An API key: a secret with which a maker's server makes requests for the users of its app.
///
/// The gate treats a key as a session on a separate terminal, whose session id and uid are both the key's id. The
/// documentation describes these rules (reference: sessions#keys).
package struct APIKey: Sendable, Equatable {
    /// The key's id.
    package var id: KeyID
    /// The app for whose users the key acts.
    package var app: AppID
    /// The key's name, which identifies the server in records of its actions; unique among the app's valid keys.
    package var name: String
    /// The terminal from which the key's messages come.
    package var terminal: TerminalID
    /// The key's scopes, sorted.
    package var scopes: [KeyScope]
    /// The moment at which the key was made.
    package var createdAt: Instant
    /// The moment from which the key is refused; nil for a key that never expires.
    package var expiresAt: Instant?
    /// The time of the key's last use, to the minute; nil before the first use.
    package var lastSeenAt: Instant?
    /// The time at which the key was revoked or expired.
    package var endedAt: Instant?
    /// Whether the secret before the last rotation may still work; it works at most until the new secret is first used.
    package var hasOldToken = false

    /// Makes a new key.
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

    /// The prefix of every key's secret.
    ///
    /// No session's token begins with this prefix.
    package static let prefix = "llk_"
    /// The longest time for which a rotated key's previous secret works, in seconds.
    package static let overlapSeconds: Int64 = 86_400

    /// Returns whether a text can be a key's name: 1 to 32 letters, digits, `-` and `_`.
    package static func isName(_ text: String) -> Bool {
        text.utf8.count <= 32 && PlainForm.accepts(text.utf8)
    }

    /// Returns the refusal of a request with this key at a moment, or nil while the key is valid.
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

    /// Returns the refusal of a method that the key's scopes don't allow, or nil if the method is allowed.
    package func refusal(of service: String, _ method: String, isReading: Bool) -> Rejection? {
        guard let known = KeyScope.Service(rawValue: service), known.allows(method) else {
            return Rejection(.forbidden, "A key can't call \(service)/\(method).")
        }
        if scopes.contains(where: { $0.service == known && (isReading || !$0.isReading) }) { return nil }
        let isShort = isReading || !scopes.contains { $0.service == known }
        return Rejection(
            .forbidden,
            isShort ? "The key has no scope \(service)." : "The key's scope \(service):read allows only reading."
        )
    }

    /// Returns whether a request with a key must name the user for whom it acts.
    ///
    /// All other methods act for the app.
    package static func actsForUser(_ service: String, _ method: String) -> Bool {
        service != KeyScope.Service.events.rawValue && "\(service)/\(method)" != "notification/send"
    }
}

/// A scope of a key: a service of which the key can call all methods, or only the methods that change nothing.
package struct KeyScope: Sendable, Hashable {
    /// The services that keys can call.
    package enum Service: String, Sendable, CaseIterable {
        case events, device, home, share, schedule, notification, account

        /// Returns whether keys can call a method of the service.
        ///
        /// Only users themselves can change their logins, passwords and addresses.
        func allows(_ method: String) -> Bool {
            self != .account || ["whoami", "getUser", "updateProfile"].contains(method)
        }
    }

    /// The service.
    package let service: Service
    /// Whether the scope only allows methods that change nothing.
    package let isReading: Bool

    /// Parses a scope such as `device` or `device:read`; returns nil for any other text.
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
