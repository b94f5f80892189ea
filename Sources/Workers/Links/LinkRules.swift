import Domain
import Sodium
import Storage

/// Which links still fit their account, and what they change in it.
enum LinkRules {
    /// Tells whether an account still has what a link was made for.
    static func fits(_ link: Link, _ user: User) -> Bool {
        switch link.kind {
        case .verifyEmail:
            return has(user.unprovedEmail, link.address)
        case .resetPassword:
            let name = user.ownsUsername ? user.username.flatMap { try? Username($0) } : nil
            return (user.emailClaim != .given && has(user.email, link.address))
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
        guard link.kind == .undoAddress else {
            let isPending = user.pendingEmail != nil
            let own = user.unprovedEmail.map { Address.email($0) }
            user.gain(own ?? address, since: isPending ? tx.now : user.emailSince)
            return true
        }
        user.gain(address, since: instant(link.detail["since"]))
        user.pendingPhone = nil
        user.pendingEmail = nil
        // One that was set since is somebody else's: the owner sets a new one with a code.
        if user.passwordHash.map(mark) != link.detail["password"] { user.passwordHash = nil }
        try tx.links.void(.verifyEmail, of: user.uid)
        try tx.links.void(.resetPassword, of: user.uid)
        try forget(whatCameWith: link, of: &user, keeping: address, in: tx)
        return true
    }

    /// What came with the change, within a day before it or at any time since, may be somebody else's
    /// way in: identities and the other kind of address, a username that is a mailbox, and the links
    /// that went to addresses of the time between.
    private static func forget(
        whatCameWith link: Link,
        of user: inout User,
        keeping address: Address,
        in tx: Transaction
    ) throws {
        let begin = link.createdAt.adding(seconds: -Link.Kind.undoAddress.lifeSeconds)
        let other: Address? =
            address.isPhone ? user.email.map { .email($0) } : user.phone.map { .phone($0) }
        if let other, let since = user.since(other), since >= begin { user.lose(other) }
        let name = user.ownsUsername ? user.username.flatMap { try? Username($0) } : nil
        if let mailbox = name?.email, !user.verifiedAddresses.contains(.email(mailbox)) {
            user.username = nil
        }
        try tx.links.void(.undoAddress, of: user.uid, since: begin) { other in
            instant(other.detail["since"]).map { $0 >= begin } ?? false
        }
        for identity in try tx.identities.all(of: user.uid)
        where identity.linkedAt >= begin && identity.linkedAt > user.createdAt {
            _ = try tx.identities.remove(identity.provider, of: user.uid)
        }
        user.providers = try tx.identities.all(of: user.uid).map(\.provider)
    }

    /// Verifies the mailbox that a user registered with, who has just proved it by a link or a code that
    /// sets a new password, and takes away what else was linked while nobody had proved it: it may be
    /// the way in of somebody who came before the mailbox's owner.
    ///
    /// Nothing happens to a user who proved it before, or who has no such address. False when another
    /// account has proved it by now.
    static func prove(_ mailbox: Address, of user: inout User, in tx: Transaction) throws -> Bool {
        guard case .email(let email) = mailbox, user.email == email, !user.isEmailVerified,
            user.emailClaim != .given
        else { return true }
        guard try tx.accounts.prove(mailbox, for: user.uid, app: user.app, region: user.region)
        else { return false }
        user.gain(.email(user.email ?? email), since: user.emailSince)
        if let phone = user.phone { user.lose(.phone(phone)) }
        user.pendingPhone = nil
        let name = user.ownsUsername ? user.username.flatMap { try? Username($0) } : nil
        if let other = name?.email, other != email { user.username = nil }
        for identity in try tx.identities.all(of: user.uid) {
            _ = try tx.identities.remove(identity.provider, of: user.uid)
        }
        user.providers = []
        for kind in Link.Kind.allCases { try tx.links.void(kind, of: user.uid) }
        return true
    }

    private static func instant(_ text: String?) -> Instant? {
        text.flatMap { Int64($0) }.map { Instant(milliseconds: $0) }
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
