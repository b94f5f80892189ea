/// A user's pending address, which replaces the present address once the user verifies it with a code or a link.
///
/// Until the pending address is verified, the user can still log in and reset the password with the present address.
extension User {
    /// Returns the pending address of the same kind as `address`: a phone number or an e-mail address.
    package func pending(like address: Address) -> Address? {
        address.isPhone ? pendingPhone.map { .phone($0) } : pendingEmail.map { .email($0) }
    }

    /// Returns whether the account keeps its present address of the same kind as `address` until a new address is
    /// verified.
    package func relies(onAddressLike address: Address) -> Bool {
        address.isPhone ? phone != nil && isPhoneVerified : email != nil && emailClaim != .given
    }

    /// Records an address that the user hasn't verified yet.
    ///
    /// If the account relies on its present address, the new address becomes pending. Otherwise, the new address
    /// replaces the present address at once. If the present address is recorded again, the pending address is dropped.
    package mutating func writeDown(_ address: Address, at now: Instant) {
        dropPending(like: address)
        switch address {
        case .phone(let new):
            guard phone != new else { return }
            if relies(onAddressLike: address) { return pendingPhone = new }
            (phone, isPhoneVerified, phoneSince) = (new, false, now)
        case .email(let new):
            if relies(onAddressLike: address) {
                if email != new { pendingEmail = new }
                return
            }
            (email, emailClaim, emailSince) = (new, .given, now)
        }
    }

    /// Drops the pending address of the same kind as `address`: the phone number or the e-mail address.
    package mutating func dropPending(like address: Address) {
        if address.isPhone { pendingPhone = nil } else { pendingEmail = nil }
    }

    /// The e-mail address that the user can verify with a link: the pending address or, if no address is pending, the
    /// present address if it is unverified.
    package var unprovedEmail: EmailAddress? {
        pendingEmail ?? (isEmailVerified ? nil : email)
    }
}
