/// A sign-in of an operator in one browser.
package struct OperatorSession: Sendable, Equatable {
    /// How the operator signed in.
    package enum Way: String, Sendable {
        case link, password
    }

    /// The session's id.
    package var id: String
    /// The operator's name.
    package var name: String
    /// How the operator signed in.
    package var way: Way
    /// The source address of the sign-in.
    package var address: String
    /// The browser's description of itself (`User-Agent`).
    package var client: String
    /// The time at which the session began.
    package var createdAt: Instant
    /// The time of the session's last use, to the minute.
    package var seenAt: Instant

    /// Begins a session.
    package init(id: String, name: String, way: Way, address: String, client: String, createdAt: Instant) {
        self.id = id
        self.name = name
        self.way = way
        self.address = address
        self.client = client
        self.createdAt = createdAt
        seenAt = createdAt
    }

    /// The time at which the session ends unless it is used before that time.
    package var idleUntil: Instant { seenAt.adding(seconds: OperatorSignIn.idleSeconds) }
    /// The latest time at which the session can end.
    package var expiresAt: Instant { createdAt.adding(seconds: OperatorSignIn.lifeSeconds) }

    /// Returns whether the session is still valid.
    package func isLive(at now: Instant) -> Bool { now < idleUntil && now < expiresAt }
}

/// A token with which a script acts as an operator.
package struct OperatorToken: Sendable, Equatable {
    /// The token's id, which isn't secret.
    package var id: String
    /// The token's purpose, in the operator's words.
    package var label: String
    /// The operator's name.
    package var name: String
    /// The token's role, which is never above the operator's role.
    package var role: OperatorRole
    /// The creation time.
    package var createdAt: Instant
    /// The time at which the token expires.
    package var expiresAt: Instant
    /// The time of the token's last use, to the minute, or nil if unused.
    package var usedAt: Instant?

    /// Makes a token that hasn't been used yet.
    package init(id: String, label: String, name: String, role: OperatorRole, createdAt: Instant, expiresAt: Instant) {
        self.id = id
        self.label = label
        self.name = name
        self.role = role
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
