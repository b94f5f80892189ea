/// What an operator of the console may do.
package enum OperatorRole: String, Sendable, CaseIterable, Comparable {
    /// Sees everything, addresses masked, and changes nothing.
    case viewer
    /// Controls devices, ends sessions, replays messages.
    case `operator`
    /// Has secrets, erases, and manages operators.
    case admin

    /// A role is less than one that may do all it may, and more.
    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .operator: 1
        case .admin: 2
        }
    }
}

/// Somebody who signs in to the console.
package struct Operator: Sendable, Equatable {
    /// The name, unique, 1 to 64 characters of `[A-Za-z0-9_-]`.
    package var name: String
    /// What the operator may do.
    package var role: OperatorRole
    /// The argon2id hash of the password; nil while there is none, so that links alone let in.
    package var passwordHash: String?
    /// When the operator was added.
    package var createdAt: Instant

    /// Describes an operator without a password.
    package init(name: String, role: OperatorRole, createdAt: Instant) {
        self.name = name
        self.role = role
        self.createdAt = createdAt
    }

    /// Tells whether a text can be an operator's name.
    package static func accepts(name: String) -> Bool { PlainForm.accepts(name.utf8) }

    /// How many operators there may be.
    package static let countMax = 100
    /// How many live sessions one operator may have; a further one ends the oldest.
    package static let sessionsMax = 20
    /// How many providers one operator may try in an hour: each try is a request to another company's server.
    package static let trialsPerHour = 60
    /// How many test messages one operator may send in an hour.
    package static let testMessagesPerHour = 20
    /// How long a test message is worth sending, in seconds.
    package static let testMessageSeconds: Int64 = 600
    /// How many tokens one operator may have.
    package static let tokensMax = 50
}

/// The bounds of signing in to the console.
package enum OperatorSignIn {
    /// How long a one-time link works, in seconds.
    package static let linkSeconds: Int64 = 1800
    /// How long a session lives without being used, in seconds: 12 hours.
    package static let idleSeconds: Int64 = 43_200
    /// How long a session lives in all, in seconds: 7 days.
    package static let lifeSeconds: Int64 = 604_800
    /// How exact the time of a session's last use is, in seconds.
    package static let usedSeconds: Int64 = 60
    /// How long after a link the password may be set without the one before, in seconds.
    package static let linkTrustSeconds: Int64 = 600
    /// Wrong passwords for one name from one address, or in one browser in which it signed in before, within the window.
    package static let tries = 10
    /// Wrong passwords for one name from all addresses within the window.
    package static let triesPerName = 100
    /// Wrong links from one address within the window, after which they are no longer called wrong; a right one lets in.
    package static let linksPerAddress = 30
    /// Sign-ins of one address in a minute that come before those of addresses with more.
    package static let requestsPerAddress = 60
    /// Failed sign-ins in the audit in a minute, of one address.
    package static let auditedPerAddress = 30
    /// Failed sign-ins in the audit in a minute, of all addresses.
    package static let auditedTogether = 300
    /// The window in which wrong tries are counted, in seconds.
    package static let triesSeconds: Int64 = 900
    /// The days that a token lives unless its maker says otherwise.
    package static let tokenDays: Int64 = 365
    /// The days that a token lives at most.
    package static let tokenDaysMax: Int64 = 3650
}
