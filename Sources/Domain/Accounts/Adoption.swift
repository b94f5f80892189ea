/// The merge of an anonymous user's binding into an account, for a phone that was used before its user logged
/// in.
///
/// The rules in words (reference: accounts#anonymous).
package enum Adoption {
    /// Returns the account's binding from then on, given the one that it has already, if any.
    ///
    /// The stronger role stays with all that goes with it; of two guests the freer one. The account's own name
    /// and note for the device stay where it has some.
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

    /// Returns the new form of an invitation of one of the two; nil where it stays as it is.
    ///
    /// Where the account is bound, its invitations as a guest become void: those between the two, pending ones,
    /// and those not behind the binding.
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
        switch role {
        case .guest: 0
        case .normal: 1
        case .special: 2
        case .owner: 3
        }
    }
}
