import Domain
import Sodium
import Storage
import Wire

/// Counts failed passwords: for a name, existing or not, for a terminal, and for the account
/// (PROTOCOL 3.1).
///
/// A try is counted before the password is compared, so that a hundred requests at once have no
/// more tries than one after the other; a right password takes its own count back.
struct PasswordTries {
    private static let windowSeconds: Int64 = 900
    private let subjects: [String]

    /// Whether the account had its tries under other names: it must not be told from a wrong
    /// password, or it would show which names belong together.
    let isSilentlyLocked: Bool

    /// Counts the try of somebody who logs in under a name.
    ///
    /// - Throws: `Rejection` with `TooManyRequests`.
    static func begin(
        _ name: LoginName,
        _ region: String,
        _ user: User?,
        _ call: Call
    ) throws -> PasswordTries {
        let named = subject(name, region, call.app.id, call.tx)
        try check([named, terminal(call)], call)
        var isLocked = false
        if let user, try retryAfter(account(user), call) != nil {
            if call.app.policies.revealAccounts { try check([account(user)], call) }
            isLocked = true
        }
        return try PasswordTries(
            [named, terminal(call)] + [user.map(account)].compactMap(\.self),
            isLocked,
            call
        )
    }

    /// Counts the try of a user who is logged in, under all of his names.
    ///
    /// - Throws: `Rejection` with `TooManyRequests`.
    static func begin(_ user: User, _ call: Call) throws -> PasswordTries {
        try check([account(user), terminal(call)], call)
        return try PasswordTries([account(user), terminal(call)] + names(user, call), false, call)
    }

    private init(_ subjects: [String], _ isLocked: Bool, _ call: Call) throws {
        self.subjects = subjects
        isSilentlyLocked = isLocked
        for subject in subjects {
            try call.tx.attempts.add(subject, windowSeconds: Self.windowSeconds)
        }
    }

    /// Takes back the count of a login that succeeded.
    static func succeeded(_ name: LoginName, _ region: String, _ user: User, _ call: Call) throws {
        let named = subject(name, region, call.app.id, call.tx)
        for subject in [named, terminal(call), account(user)] {
            try call.tx.attempts.takeBack(subject)
        }
    }

    /// Takes back the count of a password that a logged in user had right.
    static func succeeded(_ user: User, _ call: Call) throws {
        for subject in [account(user), terminal(call)] + names(user, call) {
            try call.tx.attempts.takeBack(subject)
        }
    }

    /// Forgets the failures under all of a user's names, after a new password was set by a code.
    static func clear(_ user: User, _ call: Call) throws {
        for subject in [account(user)] + names(user, call) {
            try call.tx.attempts.clear(subject)
        }
    }

    // MARK: Subjects

    private static func check(_ subjects: [String], _ call: Call) throws {
        let waits = try subjects.compactMap { try retryAfter($0, call) }
        guard let wait = waits.max() else { return }
        throw Rejection(
            .tooManyRequests,
            "Too many wrong passwords; wait, or use a code.",
            retryAfter: wait
        )
    }

    private static func retryAfter(_ subject: String, _ call: Call) throws -> Int64? {
        try call.tx.attempts.retryAfter(
            subject,
            max: call.limits.passwordFailures,
            windowSeconds: windowSeconds
        )
    }

    private static func terminal(_ call: Call) -> String {
        "password/terminal/\(call.request.terminal.text)"
    }

    private static func account(_ user: User) -> String { "password/user/\(user.uid.text)" }

    private static func names(_ user: User, _ call: Call) -> [String] {
        var names = user.verifiedAddresses.map(LoginName.init)
        if let email = user.email, !user.isEmailVerified, user.emailClaim != .given {
            names.append(.email(email))
        }
        if user.ownsUsername, let username = user.username.flatMap({ try? Username($0) }) {
            names.append(.username(username))
        }
        if let id = user.externalUID { names.append(.external(id)) }
        return names.map { subject($0, user.region, user.app, call.tx) }
    }

    private static func subject(
        _ name: LoginName,
        _ region: String,
        _ app: AppID,
        _ tx: Transaction
    ) -> String {
        // A username that is an e-mail address is tried as either: both have one count.
        var name = name
        if case .username(let username) = name, let email = EmailAddress(username.text) {
            name = .email(email)
        }
        let digest = tx.hash(name.key, boundTo: "password \(app.text) \(region)")
        return "password/name/\(Sodium.base64URL(digest))"
    }
}
