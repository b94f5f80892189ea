package import Domain
import Sodium
package import Storage
import Wire

/// The counts of wrong passwords for each account, terminal and name.
///
/// Tries under names without an account are counted too. A try is counted before the password is compared, so parallel
/// requests get no extra tries. If the password is correct, the try is subtracted from the counts.
package struct PasswordTries {
    private static let windowSeconds: Int64 = 900

    /// The accounts whose tries were used up by logins under other names.
    ///
    /// A login to such an account is answered like a wrong password. The answer hides which names belong to the same
    /// account.
    let silentlyLocked: Set<UserID>

    /// Counts a login under a name, or throws `TooManyRequests` if no try is left.
    static func begin(_ name: LoginName, region: String, meaning users: [User], _ call: Call) throws -> PasswordTries {
        let named = subject(name, region: region, of: call.app.id, in: call.tx)
        try take([named, terminal(call)], call)
        var locked: [User] = []
        for user in users.sorted(by: { $0.uid < $1.uid }) {
            let count = try call.tx.attempts.add(account(user), windowSeconds: windowSeconds)
            if count > call.limits.passwordFailures { locked.append(user) }
        }
        if call.app.policies.revealAccounts, !locked.isEmpty {
            try refuse(after: locked.compactMap { try retryAfter(account($0), call) }.max() ?? 1)
        }
        return PasswordTries(silentlyLocked: Set(locked.map(\.uid)))
    }

    /// Counts a logged-in user's password try for the account, the terminal and each of the user's names.
    ///
    /// - Throws: `Rejection` (`TooManyRequests`) if the account or the terminal has no try left.
    static func begin(_ user: User, _ call: Call) throws {
        try take([account(user), terminal(call)], call)
        for name in names(user, call.tx) { try call.tx.attempts.add(name, windowSeconds: windowSeconds) }
    }

    /// Subtracts a successful login's try from the counts of tries.
    static func succeeded(_ name: LoginName, region: String, of user: User, _ call: Call) throws {
        let named = subject(name, region: region, of: call.app.id, in: call.tx)
        for subject in [named, terminal(call), account(user)] { try call.tx.attempts.takeBack(subject) }
    }

    /// Subtracts a logged-in user's try from the counts, because the password was correct.
    static func succeeded(_ user: User, _ call: Call) throws {
        for subject in [account(user), terminal(call)] + names(user, call.tx) { try call.tx.attempts.takeBack(subject) }
    }

    /// Returns the seconds until a user may try a password again, or nil while tries are left.
    package static func wait(of user: User, _ limits: Limits, in tx: Transaction) throws -> Int64? {
        try tx.attempts.retryAfter(account(user), max: limits.passwordFailures, windowSeconds: windowSeconds)
    }

    /// Deletes a user's counts of wrong passwords, for example when an operator unlocks the user.
    package static func clear(_ user: User, in tx: Transaction) throws {
        for subject in [account(user)] + names(user, tx) { try tx.attempts.clear(subject) }
    }

    // MARK: Subjects

    /// Counts a try for each subject, or throws if a limit is reached.
    private static func take(_ subjects: [String], _ call: Call) throws {
        let max = call.limits.passwordFailures
        let limits = subjects.map { AttemptTable.Limit($0, max: max, windowSeconds: windowSeconds) }
        if let wait = try call.tx.attempts.take(limits) { try refuse(after: wait) }
    }

    private static func refuse(after seconds: Int64) throws {
        throw Rejection(.tooManyRequests, "Too many wrong passwords; wait, or use a code.", retryAfter: seconds)
    }

    private static func retryAfter(_ subject: String, _ call: Call) throws -> Int64? {
        try call.tx.attempts.retryAfter(subject, max: call.limits.passwordFailures, windowSeconds: windowSeconds)
    }

    private static func terminal(_ call: Call) -> String { "password/terminal/\(call.request.terminal.text)" }

    private static func account(_ user: User) -> String { "password/user/\(user.uid.text)" }

    private static func names(_ user: User, _ tx: Transaction) -> [String] {
        var names = user.verifiedAddresses.map(LoginName.address)
        if let email = user.email, !user.isEmailVerified, user.emailClaim != .given {
            names.append(.address(.email(email)))
        }
        if user.ownsUsername, let username = user.username.flatMap({ try? Username($0) }) {
            names.append(.username(username))
        }
        if let id = user.externalUID { names.append(.external(id)) }
        return Set(names.map { subject($0, region: user.region, of: user.app, in: tx) }).sorted()
    }

    private static func subject(_ name: LoginName, region: String, of app: AppID, in tx: Transaction) -> String {
        // A username that is an e-mail address shares its count with the address.
        var name = name
        if case .username(let username) = name, let email = EmailAddress(username.text) {
            name = .address(.email(email))
        }
        let digest = tx.hash(name.key, boundTo: "password \(app.text) \(region)")
        return "password/name/\(Sodium.base64URL(digest))"
    }
}
