import Domain
import JSON
import Storage
import Wire

/// Whom a name with a password may mean.
///
/// An e-mail address may be one user's address and another's username, and several users may have
/// registered it unproved: each gets in by his own password, so that nobody finds out about the
/// others. How many places there are depends on the request and the app alone, and each costs a hash.
struct Candidates {
    /// The users that may be meant, the likeliest first, with nil where nobody is.
    let places: [User?]
    /// Those who are there.
    let users: [User]

    /// Finds them.
    init(_ name: LoginName, _ region: String, _ call: Call) throws {
        let (accounts, app) = (call.tx.accounts, call.app)
        var places = [try accounts.find(name, app: app.id, region: region)]
        if case .email(let email) = name {
            if call.fields.object["email"] == nil {
                let username = try? Username(email.text)
                places.append(
                    try username.flatMap {
                        try accounts.find(.username($0), app: app.id, region: region)
                    }
                )
            }
            if app.policies.emailRegistration != .code, !app.policies.revealAccounts {
                let shadow = try accounts.find(shadowing: email, app: app.id, region: region)
                places.append(shadow)
            }
        }
        var seen: Set<UserID> = []
        self.places = places.map { user in
            user.flatMap { seen.insert($0.uid).inserted ? $0 : nil }
        }
        users = self.places.compactMap(\.self)
    }
}
