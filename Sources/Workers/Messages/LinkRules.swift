import Domain
import Sodium
import Storage

/// The rules for links: the changes that a link makes, and the conditions under which it is still valid.
///
/// The reference describes links (delivery#links).
enum LinkRules {
    /// Returns whether an account is still in a state in which its link may be used.
    static func fits(_ link: Link, _ user: User) -> Bool {
        switch link.kind {
        case .verifyEmail:
            return has(user.unprovedEmail, link.address)
        case .resetPassword:
            return user.emailClaim != .given && has(user.email, link.address) || has(user.namedMailbox, link.address)
        case .undoAddress:
            // The link can restore the old address, even after further changes of the account.
            return address(of: link).map { !user.verifiedAddresses.contains($0) } ?? false
        }
    }

    /// Returns a digest that identifies a password's hash.
    static func mark(_ hash: String) -> String { Sodium.base64URL(Sodium.sha256(hash.utf8)) }

    private static func has(_ email: EmailAddress?, _ address: String) -> Bool {
        email == EmailAddress(trusted: address)
    }

    /// Applies a link's effect, except a new password.
    ///
    /// Returns false if another account has the address.
    static func apply(_ link: Link, to user: inout User, in tx: Transaction) throws -> Bool {
        guard let address = address(of: link),
            try tx.accounts.prove(address, for: user.uid, app: user.app, region: user.region)
        else { return false }
        guard link.kind == .undoAddress else {
            let isPending = user.pendingEmail != nil
            let own = user.unprovedEmail.map { Address.email($0) }
            user.gain(own ?? address, since: isPending ? tx.now : user.emailSince)
            return true
        }
        user.gain(address, since: instant(link.detail["since"]))
        user.pendingPhone = nil
        user.pendingEmail = nil
        // A password set after the link's creation may be an intruder's. Therefore, the owner must set a new password.
        if user.passwordHash.map(mark) != link.detail["password"] { user.passwordHash = nil }
        try tx.links.void(.verifyEmail, of: user.uid)
        try tx.links.void(.resetPassword, of: user.uid)
        try forget(whatCameWith: link, of: &user, keeping: address, in: tx)
        return true
    }

    /// Removes the ways to log in that were added after the address was changed, or in the 24 hours before.
    ///
    /// An intruder may have added these ways to log in. The function removes provider identities, undo links and an
    /// address of the other kind (phone or e-mail). An identity that was linked when the account was created is kept.
    /// An e-mail username is removed unless it is a verified address, regardless of when the username was added.
    private static func forget(
        whatCameWith link: Link,
        of user: inout User,
        keeping address: Address,
        in tx: Transaction
    ) throws {
        let begin = link.createdAt.adding(seconds: -Link.Kind.undoAddress.lifeSeconds)
        let other: Address? = address.isPhone ? user.email.map { .email($0) } : user.phone.map { .phone($0) }
        if let other, let since = user.since(other), since >= begin { user.lose(other) }
        if let mailbox = user.namedMailbox, !user.verifiedAddresses.contains(.email(mailbox)) { user.username = nil }
        try tx.links.void(.undoAddress, of: user.uid, since: begin) { other in
            instant(other.detail["since"]).map { $0 >= begin } ?? false
        }
        for identity in try tx.identities.all(of: user.uid)
        where identity.linkedAt >= begin && identity.linkedAt > user.createdAt {
            try tx.identities.remove(identity.provider, of: user.uid)
        }
        user.providers = try tx.identities.all(of: user.uid).map(\.provider)
    }

    /// Records that a user's registered e-mail address is verified by a link or code.
    ///
    /// Before the verification, another person may have added data to the account. Therefore, the account loses its
    /// phone number, its identities and its links. It also loses its username if that is a different e-mail address.
    /// Nothing changes if the mailbox was already verified or isn't the account's e-mail address. The result is false
    /// if another account has verified the mailbox.
    static func prove(_ mailbox: Address, of user: inout User, in tx: Transaction) throws -> Bool {
        guard case .email(let email) = mailbox, user.email == email, !user.isEmailVerified, user.emailClaim != .given
        else { return true }
        guard try tx.accounts.prove(mailbox, for: user.uid, app: user.app, region: user.region) else { return false }
        user.gain(.email(user.email ?? email), since: user.emailSince)
        if let phone = user.phone { user.lose(.phone(phone)) }
        user.pendingPhone = nil
        if let other = user.namedMailbox, other != email { user.username = nil }
        let identities = tx.identities
        for identity in try identities.all(of: user.uid) { try identities.remove(identity.provider, of: user.uid) }
        user.providers = []
        for kind in Link.Kind.allCases { try tx.links.void(kind, of: user.uid) }
        return true
    }

    private static func instant(_ text: String?) -> Instant? {
        text.flatMap { Int64($0) }.map { Instant(milliseconds: $0) }
    }

    static func address(of link: Link) -> Address? {
        guard link.detail["channel"] == OutgoingMessage.Channel.sms.rawValue else {
            return .email(EmailAddress(trusted: link.address))
        }
        return Phone(link.address, countryCode: link.detail["countryCode"] ?? "").map { .phone($0) }
    }

    /// Returns the kind of audit entry for a followed link.
    static func auditKind(_ kind: Link.Kind) -> AuditEntry.Kind {
        switch kind {
        case .verifyEmail: .addressVerified
        case .resetPassword: .passwordReset
        case .undoAddress: .addressRestored
        }
    }
}

extension User {
    /// The user's own username if it is an e-mail address, otherwise nil.
    fileprivate var namedMailbox: EmailAddress? {
        ownsUsername ? username.flatMap { try? Username($0) }?.email : nil
    }
}
