/// A user's relation to a device: the states of the one state machine for roles.
///
/// The rules in words (reference: sharing#binding).
package enum CallerRole: String, Sendable, CaseIterable {
    /// Not bound to the device, which has no bindings.
    case strangerToFree
    /// Not bound to the device, which has users but no owner.
    case strangerToShared
    /// Not bound to the device, which has an owner.
    case strangerToOwned
    case special, normal, owner, guest

    /// Derives a user's relation from a device's bindings.
    package init(of uid: UserID, among present: [Binding]) {
        if let role = present.first(where: { $0.uid == uid })?.role {
            self =
                switch role {
                case .special: .special
                case .normal: .normal
                case .owner: .owner
                case .guest: .guest
                }
        } else if present.isEmpty {
            self = .strangerToFree
        } else {
            self = present.contains { $0.role == .owner } ? .strangerToOwned : .strangerToShared
        }
    }
}

/// A change that a user asks for in a device's bindings: the events of the state machine.
package enum BindingEvent: Sendable, Equatable {
    /// The user binds, with a proof of possession.
    case bind
    /// The user makes an invitation: roles change only when it is accepted.
    case invite
    /// The user accepts an invitation.
    case accept(from: UserID)
    /// The user leaves: by unbinding, by the erasure of the account, or at the end of a guest's time.
    case leave
    /// The user removes another user from the device.
    case remove(UserID)
    /// The user transfers the device to another user.
    case transfer(to: UserID)
    /// All bindings end, and the device's ownership period with them.
    case end
}

/// The consequences of an event.
package struct BindingChange: Sendable, Equatable {
    /// The effect on the invitations to the device.
    package enum Invitations: Sendable, Equatable {
        /// Only those of the leaving user become void.
        case stay
        /// All become void.
        case void
        /// Open ones become void; accepted ones pass to the new owner.
        case pass(to: UserID)
    }

    /// A user's new role.
    package struct RoleChange: Sendable, Equatable {
        /// The user.
        package var uid: UserID
        /// The role.
        package var role: Binding.Role

        /// Makes a role change.
        package init(_ uid: UserID, _ role: Binding.Role) {
            self.uid = uid
            self.role = role
        }
    }

    /// The role of the acting user's new binding.
    package var joined: Binding.Role?
    /// The users whose bindings end, the one that caused it first.
    package var ended: [UserID] = []
    /// The users whose roles change.
    package var roles: [RoleChange] = []
    /// The effect on invitations.
    package var invitations = Invitations.stay
    /// Whether the device's ownership period is over: later users see nothing of it.
    package var endsOwnership = false

    /// Nothing follows.
    package init() {}

    /// Whether anything follows.
    package var isEmpty: Bool { self == BindingChange() }
}

/// Decides about the bindings of a device: one decision for every role and every event.
package enum BindingRules {
    /// The window in which wrong proofs count, in seconds.
    package static let triesWindowSeconds = RegistrationRules.triesWindowSeconds

    /// Decides about an event that a user causes, given all present bindings.
    ///
    /// - Throws: `Rejection` where the standing does not allow the event.
    package static func decide(
        _ event: BindingEvent,
        by uid: UserID,
        among present: [Binding]
    ) throws(Rejection) -> BindingChange {
        let callerRole = CallerRole(of: uid, among: present)
        switch event {
        case .bind: return try bind(callerRole)
        case .invite: return try invite(callerRole)
        case .accept(let inviter): return try accept(inviter, callerRole, present: present)
        case .leave: return try leave(callerRole, uid, present: present)
        case .remove(let other): return try remove(other, callerRole, uid: uid, present: present)
        case .transfer(let heir): return try transfer(heir, callerRole, uid: uid, present: present)
        case .end: return end(present)
        }
    }

    private static func bind(_ callerRole: CallerRole) throws(Rejection) -> BindingChange {
        var change = BindingChange()
        switch callerRole {
        case .strangerToFree: change.joined = .special
        case .strangerToShared: change.joined = .normal
        case .strangerToOwned:
            throw Rejection(.forbidden, "The device has an owner, who alone lets others in.")
        case .special, .normal, .owner, .guest: break
        }
        return change
    }

    private static func invite(_ callerRole: CallerRole) throws(Rejection) -> BindingChange {
        switch callerRole {
        case .strangerToFree, .strangerToShared, .strangerToOwned: throw notBound
        case .normal, .guest:
            throw Rejection(.forbidden, "Only a special user or owner of the device may share it.")
        case .owner, .special: return BindingChange()
        }
    }

    /// The first acceptance makes the inviter the owner, and guests of all other bound users.
    private static func accept(
        _ inviter: UserID,
        _ callerRole: CallerRole,
        present: [Binding]
    ) throws(Rejection) -> BindingChange {
        switch callerRole {
        case .strangerToFree, .strangerToShared, .strangerToOwned: break
        case .special, .normal, .owner, .guest:
            throw Rejection(.duplicated, "The device is bound to you already.")
        }
        guard let host = present.first(where: { $0.uid == inviter && $0.role.isPrincipal }) else {
            throw Rejection(.expired, "The device is not the inviter's to share any more.")
        }
        var change = BindingChange()
        change.joined = .guest
        guard host.role == .special else { return change }
        change.roles = [.init(inviter, .owner)]
        change.roles += present.filter { $0.role == .normal }.map { .init($0.uid, .guest) }
        return change
    }

    private static func leave(
        _ callerRole: CallerRole,
        _ uid: UserID,
        present: [Binding]
    ) throws(Rejection) -> BindingChange {
        var change = BindingChange()
        change.ended = [uid]
        switch callerRole {
        case .strangerToFree, .strangerToShared, .strangerToOwned: throw notBound
        case .normal, .guest: break
        case .owner:
            change.ended += present.filter { $0.role == .guest }.map(\.uid)
            change.invitations = .void
        case .special:
            let heir = present.filter { $0.role == .normal }
                .min { ($0.boundAt, $0.uid) < ($1.boundAt, $1.uid) }
            if let heir { change.roles = [.init(heir.uid, .special)] }
            // All open invitations are theirs: only the special user invites.
            change.invitations = .void
        }
        change.endsOwnership = change.ended.count == present.count
        return change
    }

    private static func remove(
        _ other: UserID,
        _ callerRole: CallerRole,
        uid: UserID,
        present: [Binding]
    ) throws(Rejection) -> BindingChange {
        try requireOwner(callerRole)
        guard other != uid else {
            throw .invalid("params.uid", "Leave the device with device/unbind.")
        }
        guard present.contains(where: { $0.uid == other }) else { throw noSuchGuest }
        var change = BindingChange()
        change.ended = [other]
        return change
    }

    private static func transfer(
        _ heir: UserID,
        _ callerRole: CallerRole,
        uid: UserID,
        present: [Binding]
    ) throws(Rejection) -> BindingChange {
        try requireOwner(callerRole)
        guard heir != uid else {
            throw .invalid("params.uid", "The device is yours already.")
        }
        guard present.contains(where: { $0.uid == heir }) else { throw noSuchGuest }
        var change = BindingChange()
        change.ended = [uid]
        change.roles = [.init(heir, .owner)]
        change.invitations = .pass(to: heir)
        change.endsOwnership = true
        return change
    }

    private static func end(_ present: [Binding]) -> BindingChange {
        var change = BindingChange()
        change.ended = present.map(\.uid)
        change.invitations = .void
        change.endsOwnership = true
        return change
    }

    // MARK: Refusals

    private static func requireOwner(_ callerRole: CallerRole) throws(Rejection) {
        switch callerRole {
        case .owner: return
        case .strangerToFree, .strangerToShared, .strangerToOwned: throw notBound
        case .special, .normal, .guest:
            throw Rejection(.forbidden, "Only the owner of the device may do this.")
        }
    }

    /// The answer to a caller that isn't bound to the device, the same as for a device that doesn't exist.
    package static let notBound = Rejection(
        .notBound,
        "The device is not bound to you.",
        field: "params.did"
    )

    private static let noSuchGuest = Rejection(
        .resourceNotFound,
        "No such user is bound to the device.",
        field: "params.uid"
    )
}
