package import Domain
import JSON
package import Storage
package import Wire

/// Carries out the decisions of `BondRules` about the bonds of a device, with their effects on retained statuses,
/// commands, homes and invitations, and tells the users.
package struct Bonds {
    /// The device.
    let did: DeviceID
    /// The bonds before the change.
    let present: [Binding]
    /// The actor of the change.
    let actor: Actor
    let topics: Topics
    let tx: Transaction

    /// Loads the bonds of a device.
    init(of did: DeviceID, by actor: Actor, _ topics: Topics, in tx: Transaction) throws {
        self.did = did
        self.actor = actor
        self.topics = topics
        self.tx = tx
        present = try tx.bindings.all(of: did)
    }

    /// Ends one user's bond, with all its consequences; does nothing if the user isn't bound.
    package static func leave(
        _ did: DeviceID,
        _ uid: UserID,
        _ reason: UnbindReason,
        by actor: Actor,
        _ topics: Topics,
        in tx: Transaction,
        owed: inout Owed
    ) throws {
        let bonds = try Bonds(of: did, by: actor, topics, in: tx)
        guard bonds.present.contains(where: { $0.uid == uid }) else { return }
        let change = try BondRules.decide(.leave, by: uid, among: bonds.present)
        try bonds.carryOut(change, reason, owed: &owed)
    }

    /// Binds a user, and changes the roles of others if needed.
    func join(
        _ binding: Binding,
        roles: [BondChange.RoleChange] = [],
        owed: inout Owed
    ) throws {
        try tx.bindings.insert(binding)
        for role in roles { try tx.bindings.setRole(did, role.uid, role.role) }
        try tx.refreshes.add([Refresh(did: did, uid: binding.uid)])
        try DevicePush(did, actor, topics, tx).tellDevice("bound", binding.uid, owed: &owed)
        try tell(roles, owed: &owed)
        tellPrincipals(of: present, owed: &owed)
        owed.wake(.status)
    }

    /// Ends bonds and changes roles; users whose bond ends because of the first one are told `follower`.
    func carryOut(
        _ change: BondChange,
        _ reason: UnbindReason,
        follower: UnbindReason = .revoked,
        owed: inout Owed
    ) throws {
        guard !change.isEmpty else { return }
        try end(change.ended, owed: &owed)
        for role in change.roles { try tx.bindings.setRole(did, role.uid, role.role) }
        if change.endsLife {
            try tx.devices.beginGeneration(did)
        } else if present.contains(where: { $0.role.isPrincipal && change.ended.contains($0.uid) })
        {
            try tx.devices.closeReset(did)
        }
        try tell(change, reason, follower, owed: &owed)
        try settleInvitations(change, reason, owed: &owed)
    }

    private func end(_ ended: [UserID], owed: inout Owed) throws {
        guard !ended.isEmpty else { return }
        // The schedules of these users end as well.
        let losesSchedules = try tx.schedules.all(of: did).contains { ended.contains($0.creator) }
        try tx.bindings.delete(did, ended)
        if losesSchedules { try ScheduleNews.push(did, nil, topics, in: tx, owed: &owed) }
        try tx.refreshes.add(ended.map { Refresh(did: did, uid: $0) })
        try tx.homes.takeOut(did, of: ended)
        let gone = Set(ended.map(\.text))
        try CommandOutcome.fail(
            try tx.commands.open(did).filter {
                $0.state == .queued && $0.actor.kind == .user && gone.contains($0.actor.id)
            },
            topics: topics,
            in: tx,
            owed: &owed
        )
        owed.wake(.status)
    }

    // MARK: Telling

    private func tell(
        _ change: BondChange,
        _ reason: UnbindReason,
        _ follower: UnbindReason,
        owed: inout Owed
    ) throws {
        let push = DevicePush(did, actor, topics, tx)
        for (place, uid) in change.ended.enumerated() {
            let why = place == 0 ? reason : follower
            push.tell("unbound", uid, [("reason", .string(why.rawValue))], owed: &owed)
        }
        try tell(change.roles, owed: &owed)
        let roles = Dictionary(change.roles.map { ($0.uid, $0.role) }) { _, new in new }
        let left = present.filter { !change.ended.contains($0.uid) }.map { binding in
            var binding = binding
            binding.role = roles[binding.uid] ?? binding.role
            return binding
        }
        tellPrincipals(of: left, owed: &owed)
    }

    private func tell(_ roles: [BondChange.RoleChange], owed: inout Owed) throws {
        let push = DevicePush(did, actor, topics, tx)
        for role in roles {
            let name = JSONValue.string(role.role.rawValue)
            try push.tellDevice("roleChanged", role.uid, [("role", name)], owed: &owed)
        }
    }

    private func tellPrincipals(of bindings: [Binding], owed: inout Owed) {
        let push = DevicePush(did, actor, topics, tx)
        for binding in bindings where binding.role.isPrincipal {
            push.tell("usersChanged", binding.uid, owed: &owed)
        }
    }

    // MARK: Invitations

    private func settleInvitations(
        _ change: BondChange,
        _ reason: UnbindReason,
        owed: inout Owed
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
                try SharingPush.tell(sharing, topics, in: tx, owed: &owed)
                continue
            case .stay, .void, .pass: break
            }
            let isOver =
                sharing.status(at: tx.now) == .expired
                || (isGone && reason == .expired && sharing.status == .accepted)
            sharing.turn(isOver ? .expired : .revoked, at: tx.now)
            try tx.sharings.save(sharing)
            try SharingPush.tell(sharing, topics, in: tx, owed: &owed)
        }
    }
}
