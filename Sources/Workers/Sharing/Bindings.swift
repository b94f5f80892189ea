package import Domain
import JSON
package import Storage
package import Wire

/// Carries out the decisions of `BindingRules` about the bindings of a device, with their effects on retained
/// statuses, commands, homes and invitations, and tells the users.
package struct Bindings {
    /// The device.
    let did: DeviceID
    /// The bindings before the change.
    let present: [Binding]
    /// The actor of the change.
    let actor: Actor
    let topics: Topics
    let tx: Transaction

    /// Loads the bindings of a device.
    init(of did: DeviceID, by actor: Actor, _ topics: Topics, in tx: Transaction) throws {
        self.did = did
        self.actor = actor
        self.topics = topics
        self.tx = tx
        present = try tx.bindings.all(of: did)
    }

    /// Ends one user's binding, with all its consequences; does nothing if the user isn't bound.
    package static func leave(
        _ did: DeviceID,
        _ uid: UserID,
        _ reason: UnbindReason,
        by actor: Actor,
        _ topics: Topics,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        let bindings = try Bindings(of: did, by: actor, topics, in: tx)
        guard bindings.present.contains(where: { $0.uid == uid }) else { return }
        let change = try BindingRules.decide(.leave, by: uid, among: bindings.present)
        try bindings.carryOut(change, reason, effects: &effects)
    }

    /// Binds a user, and changes the roles of others if needed.
    func join(
        _ binding: Binding,
        roles: [BindingChange.RoleChange] = [],
        effects: inout Effects
    ) throws {
        try tx.bindings.insert(binding)
        for role in roles { try tx.bindings.setRole(did, role.uid, role.role) }
        try tx.refreshes.add([Refresh(did: did, uid: binding.uid)])
        try DevicePush(did, actor, topics, tx).notifyWithDevice(
            "bound",
            binding.uid,
            effects: &effects
        )
        try notifyUsers(roles, effects: &effects)
        notifyPrincipals(of: present, effects: &effects)
        effects.wake(.status)
    }

    /// Ends bindings and changes roles; users whose binding ends because of the first one are told
    /// `follower`.
    func carryOut(
        _ change: BindingChange,
        _ reason: UnbindReason,
        follower: UnbindReason = .revoked,
        effects: inout Effects
    ) throws {
        guard !change.isEmpty else { return }
        try end(change.ended, effects: &effects)
        for role in change.roles { try tx.bindings.setRole(did, role.uid, role.role) }
        if change.endsOwnership {
            try tx.devices.beginOwnership(did)
        } else if present.contains(where: { $0.role.isPrincipal && change.ended.contains($0.uid) })
        {
            try tx.devices.closeReset(did)
        }
        try notifyUsers(change, reason, follower, effects: &effects)
        try settleInvitations(change, reason, effects: &effects)
    }

    private func end(_ ended: [UserID], effects: inout Effects) throws {
        guard !ended.isEmpty else { return }
        // The schedules of these users end as well.
        let losesSchedules = try tx.schedules.all(of: did).contains { ended.contains($0.creator) }
        try tx.bindings.delete(did, ended)
        if losesSchedules {
            try ScheduleNotifications.push(did, nil, topics, in: tx, effects: &effects)
        }
        try tx.refreshes.add(ended.map { Refresh(did: did, uid: $0) })
        try tx.homes.takeOut(did, of: ended)
        let gone = Set(ended.map(\.text))
        try CommandOutcome.fail(
            try tx.commands.open(did).filter {
                $0.state == .queued && $0.actor.kind == .user && gone.contains($0.actor.id)
            },
            topics: topics,
            in: tx,
            effects: &effects
        )
        effects.wake(.status)
    }

    // MARK: Telling

    private func notifyUsers(
        _ change: BindingChange,
        _ reason: UnbindReason,
        _ follower: UnbindReason,
        effects: inout Effects
    ) throws {
        let push = DevicePush(did, actor, topics, tx)
        for (place, uid) in change.ended.enumerated() {
            let why = place == 0 ? reason : follower
            push.notify("unbound", uid, [("reason", .string(why.rawValue))], effects: &effects)
        }
        try notifyUsers(change.roles, effects: &effects)
        let roles = Dictionary(change.roles.map { ($0.uid, $0.role) }) { _, new in new }
        let left = present.filter { !change.ended.contains($0.uid) }.map { binding in
            var binding = binding
            binding.role = roles[binding.uid] ?? binding.role
            return binding
        }
        notifyPrincipals(of: left, effects: &effects)
    }

    private func notifyUsers(_ roles: [BindingChange.RoleChange], effects: inout Effects) throws {
        let push = DevicePush(did, actor, topics, tx)
        for role in roles {
            let name = JSONValue.string(role.role.rawValue)
            try push.notifyWithDevice("roleChanged", role.uid, [("role", name)], effects: &effects)
        }
    }

    private func notifyPrincipals(of bindings: [Binding], effects: inout Effects) {
        let push = DevicePush(did, actor, topics, tx)
        for binding in bindings where binding.role.isPrincipal {
            push.notify("usersChanged", binding.uid, effects: &effects)
        }
    }

    // MARK: Invitations

    private func settleInvitations(
        _ change: BindingChange,
        _ reason: UnbindReason,
        effects: inout Effects
    ) throws {
        guard !change.ended.isEmpty else { return }
        for var sharing in try tx.sharings.open(of: did) {
            let isGone = sharing.guest.map { change.ended.contains($0) } ?? false
            switch change.invitations {
            case .stay where !isGone: continue
            case .pass(let heir)
            where sharing.status == .accepted && !isGone && sharing.guest != heir:
                sharing.inviter = heir
                sharing.updatedAt = tx.now
                try tx.sharings.save(sharing)
                try SharingPush.notify(sharing, topics, in: tx, effects: &effects)
                continue
            case .stay, .void, .pass: break
            }
            let isOver =
                sharing.status(at: tx.now) == .expired
                || (isGone && reason == .expired && sharing.status == .accepted)
            sharing.turn(isOver ? .expired : .revoked, at: tx.now)
            try tx.sharings.save(sharing)
            try SharingPush.notify(sharing, topics, in: tx, effects: &effects)
        }
    }
}
