/// A pending address. Once a code or a link verifies it, it replaces the address that the user logs in with.
///
/// Until then the old address still logs in and resets the password.
extension User {
    /// Returns the pending address of the same kind, phone or e-mail.
    package func pending(like address: Address) -> Address? {
        address.isPhone ? pendingPhone.map { .phone($0) } : pendingEmail.map { .email($0) }
    }

    /// Returns whether the present address of this kind stays until another is verified.
    package func relies(onAddressLike address: Address) -> Bool {
        address.isPhone ? phone != nil && isPhoneVerified : email != nil && emailClaim != .given
    }

    /// Records an unverified address, which has no effect yet.
    ///
    /// It stays pending beside an address that the account relies on, and replaces any other at once. Recording the
    /// present address again drops the pending one.
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

    /// Drops the pending address of the same kind, phone or e-mail.
    package mutating func dropPending(like address: Address) {
        if address.isPhone { pendingPhone = nil } else { pendingEmail = nil }
    }

    /// The e-mail address that a link would verify: the pending one, else the unverified one.
    package var unprovedEmail: EmailAddress? {
        pendingEmail ?? (isEmailVerified ? nil : email)
    }
}
