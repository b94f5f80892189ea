/// The roles of operators of the console, in ascending order of rights.
package enum OperatorRole: String, Sendable, CaseIterable, Comparable {
    /// Viewers see everything, with addresses masked, and can't change anything.
    case viewer
    /// Operators can also control devices, end sessions and replay messages.
    case `operator`
    /// Admins can also handle secrets, erase data and manage operators.
    case admin

    /// Returns whether the role `right` may do everything that the role `left` may do, and more.
    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A person who signs in to the console.
package struct Operator: Sendable, Equatable {
    /// The operator's unique name: 1 to 64 characters of `[A-Za-z0-9_-]`.
    package var name: String
    /// The operator's role.
    package var role: OperatorRole
    /// The password's argon2id hash, or nil if the operator signs in only with links.
    package var passwordHash: String?
    /// The time at which the operator was added.
    package var createdAt: Instant

    /// Makes an operator without a password.
    package init(name: String, role: OperatorRole, createdAt: Instant) {
        (self.name, self.role, self.createdAt) = (name, role, createdAt)
    }

    /// Returns whether a string can be an operator's name.
    package static func accepts(name: String) -> Bool { PlainForm.accepts(name.utf8) }

    /// The maximum number of operators.
    package static let countMax = 100
    /// The maximum number of an operator's live sessions.
    ///
    /// A further sign-in ends the oldest session.
    package static let sessionsMax = 20
    /// The maximum number of provider tests per hour for one operator.
    ///
    /// Each test contacts the provider's server.
    package static let trialsPerHour = 60
    /// The maximum number of test messages that one operator can send per hour.
    package static let testMessagesPerHour = 20
    /// The time after which a test message expires, in seconds.
    package static let testMessageSeconds: Int64 = 600
    /// The maximum number of API tokens of one operator.
    package static let tokensMax = 50
}

/// The limits that apply when operators sign in to the console.
package enum OperatorSignIn {
    /// The lifetime of a one-time sign-in link, in seconds.
    package static let linkSeconds: Int64 = 1800
    /// The time after which an unused session ends, in seconds: 12 hours.
    package static let idleSeconds: Int64 = 43_200
    /// The longest lifetime of a session, in seconds: 7 days.
    package static let lifeSeconds: Int64 = 604_800
    /// The precision with which the time of a session's last use is stored, in seconds.
    package static let usedSeconds: Int64 = 60
    /// How long an operator is trusted after a sign-in by link, in seconds.
    ///
    /// During this time, the operator can set a password without the old one.
    package static let linkTrustSeconds: Int64 = 600
    /// The maximum number of wrong passwords that one address may send for one operator within `triesSeconds`.
    ///
    /// A browser in which the operator signed in before has a separate limit of the same size.
    package static let tries = 10
    /// The maximum number of wrong passwords for one operator's name from all addresses within `triesSeconds`.
    package static let triesPerName = 100
    /// How many wrong links one address may send in `triesSeconds` before getting `TooManyRequests`.
    ///
    /// A valid link always signs the operator in, even after too many wrong links.
    package static let linksPerAddress = 30
    /// How many sign-ins per minute from one address have normal priority.
    ///
    /// Further sign-ins get the lowest priority.
    package static let requestsPerAddress = 60
    /// The audit trail records at most this number of failed sign-ins per minute from one address.
    package static let auditedPerAddress = 30
    /// The audit trail records at most this number of failed sign-ins per minute from all addresses together.
    package static let auditedTogether = 300
    /// The period in which wrong passwords and wrong links are counted, in seconds.
    package static let triesSeconds: Int64 = 900
    /// The default lifetime of an operator's token, in days.
    package static let tokenDays: Int64 = 365
    /// The longest lifetime of an operator's token, in days.
    package static let tokenDaysMax: Int64 = 3650
}
