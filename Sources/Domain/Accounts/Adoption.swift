/// The merge of an anonymous user's bindings into the account to which the user logs in.
///
/// The documentation describes the rules for this merge (reference: accounts#anonymous).
package enum Adoption {
    /// Returns the account's binding to a device after the merge.
    ///
    /// `taken` is the anonymous user's binding. `own` is the account's binding before the merge, or nil if the account
    /// had none.
    ///
    /// The merge keeps the binding with the stronger role. If the roles are equal, it keeps the binding that can
    /// control the device. If both bindings or neither can control the device, it keeps the binding that ends later. A
    /// name or note that the account gave the device is kept.
    package static func merge(_ taken: Binding, into own: Binding?, of uid: UserID) -> Binding {
        guard let own else {
            var moved = taken
            moved.uid = uid
            return moved
        }
        var merged = isStronger(taken, than: own) ? taken : own
        merged.uid = uid
        merged.isSubscribed = own.isSubscribed || taken.isSubscribed
        merged.alias = own.alias.isEmpty ? taken.alias : own.alias
        merged.remark = own.remark.isEmpty ? taken.remark : own.remark
        merged.boundAt = min(own.boundAt, taken.boundAt)
        return merged
    }

    /// Returns an invitation as it is after the merge of the two users, or nil if it is unchanged.
    ///
    /// `binding` is the account's binding to the invitation's device. If this binding exists, an invitation to one of
    /// the two users is revoked in each of three cases: the invitation is pending, one of the two users sent the
    /// invitation, or the binding doesn't come from the invitation.
    package static func move(
        _ sharing: Sharing,
        from anonymous: UserID,
        to account: UserID,
        binding: Binding?
    ) -> Sharing? {
        var moved = sharing
        if moved.inviter == anonymous { moved.inviter = account }
        if moved.guest == anonymous { moved.guest = account }
        let isVoid: Bool =
            if moved.guest == account, let binding {
                moved.inviter == account || moved.status == .pending || binding.sharing != moved.id
            } else {
                false
            }
        if isVoid { moved.status = .revoked }
        return moved == sharing ? nil : moved
    }

    private static func isStronger(_ one: Binding, than other: Binding) -> Bool {
        let (mine, theirs) = (rank(one.role), rank(other.role))
        if mine != theirs { return mine > theirs }
        if one.access != other.access { return one.access == .control }
        guard let end = one.guestUntil else { return other.guestUntil != nil }
        return other.guestUntil.map { end > $0 } ?? false
    }

    private static func rank(_ role: Binding.Role) -> Int {
        [.guest, .normal, .special, .owner].firstIndex(of: role) ?? 0
    }
}
