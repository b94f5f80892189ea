/// The merge of an anonymous user's bindings into an account, after the user of an anonymous terminal logs in.
///
/// The documentation describes these rules (reference: accounts#anonymous).
package enum Adoption {
    /// Returns the account's binding after the merge; `own` is the binding that the account had before, if any.
    ///
    /// The binding with the stronger role is kept. If the roles are equal, the binding with more access is kept, or
    /// else the binding that ends later. The account's own name and note for the device are kept, if any.
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

    /// Returns an invitation from or to either user after the merge, or nil if the invitation doesn't change.
    ///
    /// If the account is bound to the device, some invitations in which it is the guest are revoked: invitations
    /// between the two users, pending invitations, and all that did not create the binding.
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
