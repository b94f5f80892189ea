/// A sign-in of an operator in one browser.
package struct OperatorSession: Sendable, Equatable {
    /// The way in which the operator signed in.
    package enum Way: String, Sendable {
        case link, password
    }

    /// The session's id.
    package var id: String
    /// The operator's name.
    package var name: String
    /// The way in which it began.
    package var way: Way
    /// The address from which it began.
    package var address: String
    /// The browser's own description.
    package var client: String
    /// The time at which it began.
    package var createdAt: Instant
    /// The time of its last use, to the minute.
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

    /// The time at which it ends unless it is used before.
    package var idleUntil: Instant { seenAt.adding(seconds: OperatorSignIn.idleSeconds) }
    /// The time at which it ends in any case.
    package var expiresAt: Instant { createdAt.adding(seconds: OperatorSignIn.lifeSeconds) }

    /// Returns whether it is still valid.
    package func isLive(at now: Instant) -> Bool { now < idleUntil && now < expiresAt }
}

/// A token with which a script acts as an operator.
package struct OperatorToken: Sendable, Equatable {
    /// The token's id, which is no secret.
    package var id: String
    /// Its purpose, in the operator's words.
    package var label: String
    /// The operator's name.
    package var name: String
    /// Its role, never above the operator's.
    package var role: OperatorRole
    /// The creation time.
    package var createdAt: Instant
    /// The time at which it ends.
    package var expiresAt: Instant
    /// The time of its last use, to the minute; nil before the first.
    package var usedAt: Instant?

    /// Makes a token that was not used yet.
    package init(id: String, label: String, name: String, role: OperatorRole, createdAt: Instant, expiresAt: Instant) {
        self.id = id
        self.label = label
        self.name = name
        self.role = role
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
