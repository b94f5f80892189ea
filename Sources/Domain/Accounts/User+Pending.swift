/// A user's pending address, which the user must verify before it replaces the present address.
///
/// Until the pending address is verified, logins and password resets use the present address.
extension User {
    /// Returns the pending phone number or e-mail address, depending on the kind of `address`.
    package func pending(like address: Address) -> Address? {
        address.isPhone ? pendingPhone.map { .phone($0) } : pendingEmail.map { .email($0) }
    }

    /// Returns whether the account keeps its present address until the user has verified a new one.
    ///
    /// `address` only says which address is meant: the phone number or the e-mail address.
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

    /// Drops the pending phone number or e-mail address, depending on the kind of `address`.
    package mutating func dropPending(like address: Address) {
        if address.isPhone { pendingPhone = nil } else { pendingEmail = nil }
    }

    /// The e-mail address to verify: the pending one, or else the unverified present one.
    package var unprovedEmail: EmailAddress? {
        pendingEmail ?? (isEmailVerified ? nil : email)
    }
}
