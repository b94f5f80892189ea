/// The rules that decide how an event changes a device's bindings, depending on the acting user's role.
package enum BindingRules {
    /// The period in which wrong proofs of possession are counted, in seconds.
    package static let triesWindowSeconds = RegistrationRules.triesWindowSeconds

    /// Decides an event's result, or throws a `Rejection` if the user's role forbids it.
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
        switch callerRole {
        case .strangerToFree: return BindingChange(joined: .special)
        case .strangerToShared: return BindingChange(joined: .normal)
        case .strangerToOwned: throw Rejection(.forbidden, "The device has an owner; only the owner can invite users.")
        case .special, .normal, .owner, .guest: return BindingChange()
        }
    }

    private static func invite(_ callerRole: CallerRole) throws(Rejection) -> BindingChange {
        switch callerRole {
        case .strangerToFree, .strangerToShared, .strangerToOwned: throw notBound
        case .normal, .guest:
            throw Rejection(
                .forbidden,
                "Only a special user or owner of the device may share it; device/users names them."
            )
        case .owner, .special: return BindingChange()
        }
    }

    /// Makes the user a guest.
    ///
    /// The first acceptance also makes the inviter the owner, and turns all normal users into guests.
    private static func accept(
        _ inviter: UserID,
        _ callerRole: CallerRole,
        present: [Binding]
    ) throws(Rejection) -> BindingChange {
        switch callerRole {
        case .strangerToFree, .strangerToShared, .strangerToOwned: break
        case .special, .normal, .owner, .guest: throw Rejection(.duplicated, "The device is already bound to you.")
        }
        guard let host = present.first(where: { $0.uid == inviter && $0.role.isPrincipal }) else {
            throw Rejection(.expired, "The inviter may no longer share the device.")
        }
        var change = BindingChange(joined: .guest)
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
        var change = BindingChange(ended: [uid])
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
            // Only the special user can invite, so all open invitations come from this user.
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
        guard other != uid else { throw .invalid("params.uid", "Use device/unbind to leave the device.") }
        guard present.contains(where: { $0.uid == other }) else { throw noSuchGuest }
        return BindingChange(ended: [other])
    }

    private static func transfer(
        _ heir: UserID,
        _ callerRole: CallerRole,
        uid: UserID,
        present: [Binding]
    ) throws(Rejection) -> BindingChange {
        try requireOwner(callerRole)
        guard heir != uid else { throw .invalid("params.uid", "The device is already yours.") }
        guard present.contains(where: { $0.uid == heir }) else { throw noSuchGuest }
        return BindingChange(
            ended: [uid],
            roles: [.init(heir, .owner)],
            invitations: .pass(to: heir),
            endsOwnership: true
        )
    }

    private static func end(_ present: [Binding]) -> BindingChange {
        BindingChange(ended: present.map(\.uid), invitations: .void, endsOwnership: true)
    }

    // MARK: Refusals

    private static func requireOwner(_ callerRole: CallerRole) throws(Rejection) {
        switch callerRole {
        case .owner: return
        case .strangerToFree, .strangerToShared, .strangerToOwned: throw notBound
        case .special, .normal, .guest: throw Rejection(.forbidden, "Only the owner of the device may do this.")
        }
    }

    /// The refusal if the caller isn't bound to the device, or if the device doesn't exist.
    package static let notBound = Rejection(.notBound, "The device is not bound to you.", field: "params.did")

    private static let noSuchGuest = Rejection(
        .resourceNotFound,
        "No such user is bound to the device.",
        field: "params.uid"
    )
}
