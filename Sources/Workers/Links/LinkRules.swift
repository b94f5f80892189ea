import Domain
import Storage

/// Which links still fit their account, and what they change in it.
enum LinkRules {
    /// Tells whether an account still has what a link was made for.
    static func fits(_ link: Link, _ user: User) -> Bool {
        switch link.kind {
        case .verifyEmail:
            return has(user.email, link.address)
        case .resetPassword:
            let name = user.ownsUsername ? user.username?.lowercased() : nil
            let isName = name == link.address.lowercased()
            return (user.isEmailVerified && has(user.email, link.address)) || isName
        case .undoAddress:
            guard let replacement = link.detail["replacement"] else { return false }
            return user.phone?.text == replacement || has(user.email, replacement)
        }
    }

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
            // Whoever changed the address may know the password: its owner sets a new one with a
            // code.
            user.passwordHash = nil
            try tx.links.void(.verifyEmail, of: user.uid)
            try tx.links.void(.resetPassword, of: user.uid)
        default:
            user.gain(user.email.map { .email($0) } ?? address)
        }
        return true
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
