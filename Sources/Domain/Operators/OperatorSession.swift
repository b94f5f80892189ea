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
    /// How it began.
    package var way: Way
    /// The address that it was begun from.
    package var address: String
    /// What the browser calls itself.
    package var client: String
    /// When it began.
    package var createdAt: Instant
    /// When it was used last, to the minute.
    package var seenAt: Instant

    /// Begins a session.
    package init(
        id: String,
        name: String,
        way: Way,
        address: String,
        client: String,
        createdAt: Instant
    ) {
        self.id = id
        self.name = name
        self.way = way
        self.address = address
        self.client = client
        self.createdAt = createdAt
        seenAt = createdAt
    }

    /// When it ends unless it is used before.
    package var idleUntil: Instant { seenAt.adding(seconds: OperatorSignIn.idleSeconds) }
    /// When it ends in any case.
    package var expiresAt: Instant { createdAt.adding(seconds: OperatorSignIn.lifeSeconds) }

    /// Whether it still lets in.
    package func isLive(at now: Instant) -> Bool { now < idleUntil && now < expiresAt }
}

/// What lets a script in as an operator.
package struct OperatorToken: Sendable, Equatable {
    /// The token's id, which is no secret.
    package var id: String
    /// What it is for, in the operator's words.
    package var label: String
    /// The operator's name.
    package var name: String
    /// What it may do; never more than the operator.
    package var role: OperatorRole
    /// When it was made.
    package var createdAt: Instant
    /// When it ends.
    package var expiresAt: Instant
    /// When it was used last, to the minute; nil before the first time.
    package var usedAt: Instant?

    /// Describes a token that was not used yet.
    package init(
        id: String,
        label: String,
        name: String,
        role: OperatorRole,
        createdAt: Instant,
        expiresAt: Instant
    ) {
        self.id = id
        self.label = label
        self.name = name
        self.role = role
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
