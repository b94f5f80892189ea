/// The rights of an operator of the console, in ascending order.
package enum OperatorRole: String, Sendable, CaseIterable, Comparable {
    /// Sees everything, with addresses masked, and changes nothing.
    case viewer
    /// Controls devices, ends sessions, replays messages.
    case `operator`
    /// Handles secrets, erases, and manages operators.
    case admin

    /// Returns whether the right role may do all that the left one may, and more.
    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A person who signs in to the console.
package struct Operator: Sendable, Equatable {
    /// The name, unique, 1 to 64 characters of `[A-Za-z0-9_-]`.
    package var name: String
    /// The operator's role.
    package var role: OperatorRole
    /// The argon2id hash of the password; nil if there is none, so that only links sign in.
    package var passwordHash: String?
    /// The time at which the operator was added.
    package var createdAt: Instant

    /// Describes an operator without a password.
    package init(name: String, role: OperatorRole, createdAt: Instant) {
        self.name = name
        self.role = role
        self.createdAt = createdAt
    }

    /// Returns whether a text can be an operator's name.
    package static func accepts(name: String) -> Bool { PlainForm.accepts(name.utf8) }

    /// The maximum number of operators.
    package static let countMax = 100
    /// The maximum number of live sessions of one operator; a further one ends the oldest.
    package static let sessionsMax = 20
    /// The maximum number of tests of providers, which contact companies' servers, by one operator in an hour.
    package static let trialsPerHour = 60
    /// The maximum number of test messages that one operator may send in an hour.
    package static let testMessagesPerHour = 20
    /// The time for which a test message is worth sending, in seconds.
    package static let testMessageSeconds: Int64 = 600
    /// The maximum number of tokens of one operator.
    package static let tokensMax = 50
}

/// The limits of signing in to the console.
package enum OperatorSignIn {
    /// The life of a one-time link, in seconds.
    package static let linkSeconds: Int64 = 1800
    /// The life of a session that isn't used, in seconds: 12 hours.
    package static let idleSeconds: Int64 = 43_200
    /// The longest life of a session, in seconds: 7 days.
    package static let lifeSeconds: Int64 = 604_800
    /// The precision of the time of a session's last use, in seconds.
    package static let usedSeconds: Int64 = 60
    /// The time after a sign-in by link in which the password may be set without the previous one, in seconds.
    package static let linkTrustSeconds: Int64 = 600
    /// The maximum number of wrong passwords for one name from one address, or in one browser in which it signed in
    /// before, within the window.
    package static let tries = 10
    /// The maximum number of wrong passwords for one name from all addresses within the window.
    package static let triesPerName = 100
    /// The maximum number of wrong links from one address within the window, before they are refused as too many; a
    /// right one always signs in.
    package static let linksPerAddress = 30
    /// The number of sign-ins in a minute up to which an address precedes the addresses with more.
    package static let requestsPerAddress = 60
    /// The maximum number of failed sign-ins of one address in the audit trail in a minute.
    package static let auditedPerAddress = 30
    /// The maximum number of failed sign-ins of all addresses in the audit trail in a minute.
    package static let auditedTogether = 300
    /// The window in which wrong tries are counted, in seconds.
    package static let triesSeconds: Int64 = 900
    /// The default life of a token, in days.
    package static let tokenDays: Int64 = 365
    /// The longest life of a token, in days.
    package static let tokenDaysMax: Int64 = 3650
}
