/// A secret with which a maker's server acts for the users of its app.
///
/// The gate treats a key as a session on a separate terminal. The key's id then serves as the session's id and as the
/// user's id. The documentation describes these rules (reference: sessions#keys).
package struct APIKey: Sendable, Equatable {
    /// The key's id.
    package var id: KeyID
    /// The app to which the key belongs, and for whose users the key makes requests.
    package var app: AppID
    /// The key's name, which is unique among the app's valid keys.
    ///
    /// Logs use this name for the server that holds the key.
    package var name: String
    /// The terminal from which the key's messages come.
    package var terminal: TerminalID
    /// The key's scopes, sorted.
    package var scopes: [KeyScope]
    /// The moment at which the key was made.
    package var createdAt: Instant
    /// The moment from which the key is refused, if it ever expires.
    package var expiresAt: Instant?
    /// The time of the key's last use, to the minute, if any.
    package var lastSeenAt: Instant?
    /// The time at which the key was revoked or expired.
    package var endedAt: Instant?
    /// Whether the previous secret may still be valid.
    ///
    /// The previous secret becomes invalid when the new secret is first used, or after `overlapSeconds` if that is
    /// earlier.
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
        self.id = id
        self.app = app
        self.name = name
        self.terminal = terminal
        self.scopes = scopes
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// The prefix of every key's secret.
    ///
    /// No session's token begins with this prefix.
    package static let prefix = "llk_"
    /// The longest time for which a rotated key's previous secret works, in seconds.
    package static let overlapSeconds: Int64 = 86_400

    /// Returns whether a string can be a key's name: 1 to 32 letters, digits, `-` and `_`.
    package static func isName(_ text: String) -> Bool {
        text.utf8.count <= 32 && PlainForm.accepts(text.utf8)
    }

    /// Returns the refusal of a request with this key at a given moment, or nil if the key is valid.
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

    /// Returns the refusal of a method outside the key's scopes, or nil if the method is allowed.
    package func refusal(of service: String, _ method: String, isReading: Bool) -> Rejection? {
        scopes.refusal(of: service, method, isReading: isReading, holder: "key")
    }

    /// Returns whether a key calls a method on behalf of a user.
    ///
    /// The request must then name the user.
    package static func actsForUser(_ service: String, _ method: String) -> Bool {
        service != KeyScope.Service.events.rawValue && "\(service)/\(method)" != "notification/send"
    }
}

/// A scope, which allows a key or a linked service to call methods of one `Service`.
///
/// The scope allows either all methods of the `Service` that keys can call, or only those methods that change nothing.
package struct KeyScope: Sendable, Hashable {
    /// The services that keys can call.
    package enum Service: String, Sendable, CaseIterable {
        case events, device, home, share, schedule, notification, account

        /// Returns whether keys can call a method.
        ///
        /// In the service `account`, keys can only show users and update profiles.
        func allows(_ method: String) -> Bool {
            self != .account || ["whoami", "getUser", "updateProfile"].contains(method)
        }
    }

    /// The service.
    package let service: Service
    /// Whether the scope allows only methods that change nothing.
    package let isReading: Bool

    /// Parses a scope such as `device` or `device:read`, or returns nil for other strings.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let service = parts.first.flatMap({ Service(rawValue: String($0)) }) else { return nil }
        guard parts.count == 1 || parts.count == 2 && parts[1] == "read" else { return nil }
        (self.service, isReading) = (service, parts.count == 2)
    }

    /// The scope as text.
    package var text: String { isReading ? "\(service.rawValue):read" : service.rawValue }

    /// Returns scopes as one string, separated by spaces.
    package static func joined(_ scopes: [KeyScope]) -> String { scopes.map(\.text).joined(separator: " ") }

    /// Returns the scopes in a string, except those that this version doesn't know.
    package static func split(_ text: String) -> [KeyScope] {
        text.split(separator: " ").compactMap { KeyScope(String($0)) }
    }

    /// All service names as one string, for messages.
    package static let known = Service.allCases.map(\.rawValue).joined(separator: ", ")
}

extension [KeyScope] {
    /// Returns the refusal of a method that the scopes don't allow, or nil if they allow the method.
    ///
    /// `holder` is the noun in the refusal's text: `key` or `linked service`.
    package func refusal(of service: String, _ method: String, isReading: Bool, holder: String) -> Rejection? {
        guard let known = KeyScope.Service(rawValue: service), known.allows(method) else {
            return Rejection(.forbidden, "A \(holder) can't call \(service)/\(method).")
        }
        let own = filter { $0.service == known }
        guard !own.contains(where: { isReading || !$0.isReading }) else { return nil }
        let lack = own.isEmpty ? " has no scope \(service)." : "'s scope \(service):read allows only reading."
        return Rejection(.forbidden, "The \(holder)\(lack)")
    }
}
