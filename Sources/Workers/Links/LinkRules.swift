import Domain
import Sodium
import Storage

/// Which links still fit their account, and what they change in it.
enum LinkRules {
    /// Tells whether an account still has what a link was made for.
    static func fits(_ link: Link, _ user: User) -> Bool {
        switch link.kind {
        case .verifyEmail:
            return has(user.email, link.address)
        case .resetPassword:
            let name = user.ownsUsername ? user.username.flatMap { try? Username($0) } : nil
            return (user.isEmailVerified && has(user.email, link.address))
                || has(name?.email, link.address)
        case .undoAddress:
            // However often the address was changed since, its owner of then may have it back.
            return address(of: link).map { !user.verifiedAddresses.contains($0) } ?? false
        }
    }

    /// By which a password's hash is known again.
    static func mark(_ hash: String) -> String { Sodium.base64URL(Sodium.sha256(hash.utf8)) }

    private static func has(_ email: EmailAddress?, _ address: String) -> Bool {
        email == EmailAddress(trusted: address)
    }

    /// Makes a link's change, the new password apart; false when the address is another account's
    /// by now.
    static func apply(_ link: Link, to user: inout User, in tx: Transaction) throws -> Bool {
        guard let address = address(of: link),
            try tx.accounts.prove(address, for: user.uid, app: user.app, region: user.region)
        else { return false }
        switch (link.kind, address) {
        case (.undoAddress, _):
            user.gain(address)
            // One that was set since is somebody else's: the owner sets a new one with a code.
            if user.passwordHash.map(mark) != link.detail["password"] { user.passwordHash = nil }
            try tx.links.void(.verifyEmail, of: user.uid)
            try tx.links.void(.resetPassword, of: user.uid)
            try forget(whatCameAfter: link, of: &user, in: tx)
        default:
            user.gain(user.email.map { .email($0) } ?? address)
        }
        return true
    }

    /// What was linked since the change may be somebody else's way in, and so may the links that
    /// went to addresses of the time between.
    private static func forget(
        whatCameAfter link: Link,
        of user: inout User,
        in tx: Transaction
    ) throws {
        try tx.links.void(.undoAddress, of: user.uid, since: link.createdAt) { later in
            later.detail["channel"] == link.detail["channel"]
        }
        for identity in try tx.identities.all(of: user.uid)
        where identity.linkedAt >= link.createdAt {
            _ = try tx.identities.remove(identity.provider, of: user.uid)
        }
        user.providers = try tx.identities.all(of: user.uid).map(\.provider)
    }

    private static func address(of link: Link) -> Address? {
        guard link.detail["channel"] == Delivery.Channel.sms.rawValue else {
            return .email(EmailAddress(trusted: link.address))
        }
        return Phone(link.address, countryCode: link.detail["countryCode"] ?? "")
            .map { .phone($0) }
    }

    /// What the audit trail calls the following of a link.
    static func auditKind(_ kind: Link.Kind) -> AuditEntry.Kind {
        switch kind {
        case .verifyEmail: .addressVerified
        case .resetPassword: .passwordReset
        case .undoAddress: .addressRestored
        }
    }
}
