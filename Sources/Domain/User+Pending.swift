/// An address that a user wrote down in the place of one that he logs in with: until a code or a link
/// proves it, the old one goes on logging in and resetting (PROTOCOL 3.1).
extension User {
    /// What waits to be proved: a phone's, or an e-mail's.
    package func pending(like address: Address) -> Address? {
        address.isPhone ? pendingPhone.map { .phone($0) } : pendingEmail.map { .email($0) }
    }

    /// Whether the present address of this kind is of use, so that it must not go before another is
    /// proved.
    package func relies(onAddressLike address: Address) -> Bool {
        address.isPhone ? phone != nil && isPhoneVerified : email != nil && emailClaim != .given
    }

    /// Writes down an address that nobody has proved: it does nothing yet.
    ///
    /// It waits beside one that the account relies on, and takes the place of any other at once. The
    /// present address itself takes back what waits.
    package mutating func writeDown(_ address: Address, at now: Instant) {
        dropPending(like: address)
        switch address {
        case .phone(let new):
            guard phone != new else { return }
            if relies(onAddressLike: address) { return pendingPhone = new }
            phone = new
            isPhoneVerified = false
            phoneSince = now
        case .email(let new):
            if relies(onAddressLike: address) {
                if email != new { pendingEmail = new }
                return
            }
            email = new
            emailClaim = .given
            emailSince = now
        }
    }

    /// Forgets what waits to be proved: a phone, or an e-mail.
    package mutating func dropPending(like address: Address) {
        if address.isPhone { pendingPhone = nil } else { pendingEmail = nil }
    }

    /// The e-mail address that a link would prove: the one that waits, else the one nobody proved.
    package var unprovedEmail: EmailAddress? {
        pendingEmail ?? (isEmailVerified ? nil : email)
    }
}
