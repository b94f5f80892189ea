import Domain
import Storage
import Wire

/// A device's bindings, with methods that carry out the decisions of `BindingRules`.
struct Bindings {
    /// The id of the device.
    let did: DeviceID
    /// The bindings before the change.
    let present: [Binding]
    /// The party that makes the change.
    let actor: Actor

    private var push: DevicePush { DevicePush(did, by: actor) }

    /// Loads the bindings of a device.
    init(of did: DeviceID, by actor: Actor, in work: UnitOfWork) throws {
        self.did = did
        self.actor = actor
        present = try work.tx.bindings.all(of: did)
    }

    /// Ends a user's binding, if any, with all its consequences.
    func leave(_ uid: UserID, because reason: UnbindReason, in work: inout UnitOfWork) throws {
        guard present.contains(where: { $0.uid == uid }) else { return }
        let change = try BindingRules.decide(.leave, by: uid, among: present)
        try carryOut(change, because: reason, in: &work)
    }

    /// Checks that the device and the user may have one more binding, and throws `Forbidden` otherwise.
    func checkCounts(adding uid: UserID, _ call: Call) throws {
        guard present.count < call.limits.usersPerDevice,
            try call.tx.bindings.count(ofUser: uid) < call.limits.devicesPerUser
        else { throw Rejection(.forbidden, "The maximum number of bindings is reached.") }
    }

    /// Binds a user, and changes the roles of other users if needed.
    func join(_ binding: Binding, roles: [BindingChange.RoleChange] = [], in work: inout UnitOfWork) throws {
        try work.tx.bindings.insert(binding)
        for role in roles { try work.tx.bindings.setRole(did, role.uid, to: role.role) }
        // The status worker publishes the device's status to the user (`StatusHandler.due`).
        try work.tx.refreshes.add([Refresh(did: did, uid: binding.uid)])
        try push.notifyWithDevice(.bound, binding.uid, in: &work)
        try notifyUsers(of: roles, in: &work)
        try notifyPrincipals(of: present, in: &work)
        work.effects.wake(.status, of: did)
    }

    /// Ends bindings and changes roles.
    ///
    /// The first user in `change.ended` is told the reason `reason`. The bindings of the other users in `change.ended`
    /// end as a consequence, and these users are told the reason `follower`.
    func carryOut(
        _ change: BindingChange,
        because reason: UnbindReason,
        follower: UnbindReason = .revoked,
        in work: inout UnitOfWork
    ) throws {
        guard !change.isEmpty else { return }
        try end(change.ended, in: &work)
        for role in change.roles { try work.tx.bindings.setRole(did, role.uid, to: role.role) }
        if change.endsOwnership {
            try work.tx.devices.beginOwnership(did)
        } else if present.contains(where: { $0.role.isPrincipal && change.ended.contains($0.uid) }) {
            try work.tx.devices.closeReset(did)
        }
        try notifyUsers(of: change, because: reason, follower: follower, in: &work)
        try settleInvitations(after: change, because: reason, in: &work)
    }

    private func end(_ ended: [UserID], in work: inout UnitOfWork) throws {
        guard !ended.isEmpty else { return }
        // The schedules are read first, since deleting a binding also deletes its schedules (foreign key). The deleted
        // schedules are needed to send the notification and to end the schedules' queued commands.
        let schedules = try work.tx.schedules.all(ofDevice: did).filter { ended.contains($0.creator) }
        try work.tx.bindings.delete(did, ended)
        if !schedules.isEmpty { try ScheduleNotifications.push(did, in: &work) }
        try work.tx.refreshes.add(ended.map { Refresh(did: did, uid: $0) })
        try work.tx.homes.takeOut(did, of: ended)
        let users = Set(ended)
        let runs = Set(schedules.map(\.id.text))
        let failed = try work.tx.commands.open(did).filter { command in
            guard command.state == .queued else { return false }
            if let user = command.user { return users.contains(user) }
            return command.actor.kind == .schedule && runs.contains(command.actor.id)
        }
        try CommandOutcome.fail(failed, in: &work)
        work.effects.wake(.status)
    }

    // MARK: Notifying

    private func notifyUsers(
        of change: BindingChange,
        because reason: UnbindReason,
        follower: UnbindReason,
        in work: inout UnitOfWork
    ) throws {
        for (place, uid) in change.ended.enumerated() {
            try push.notify(.unbound(place == 0 ? reason : follower), uid, in: &work)
        }
        try notifyUsers(of: change.roles, in: &work)
        let roles = Dictionary(change.roles.map { ($0.uid, $0.role) }) { _, new in new }
        let left = present.filter { !change.ended.contains($0.uid) }.map { binding in
            var binding = binding
            binding.role = roles[binding.uid] ?? binding.role
            return binding
        }
        try notifyPrincipals(of: left, in: &work)
    }

    private func notifyUsers(of roles: [BindingChange.RoleChange], in work: inout UnitOfWork) throws {
        for role in roles { try push.notifyWithDevice(.roleChanged(role.role), role.uid, in: &work) }
    }

    private func notifyPrincipals(of bindings: [Binding], in work: inout UnitOfWork) throws {
        for binding in bindings where binding.role.isPrincipal {
            try push.notify(.usersChanged, binding.uid, in: &work)
        }
    }

    // MARK: Invitations

    private func settleInvitations(
        after change: BindingChange,
        because reason: UnbindReason,
        in work: inout UnitOfWork
    ) throws {
        guard !change.ended.isEmpty else { return }
        for var sharing in try work.tx.sharings.open(of: did) {
            switch SharingRules.fate(of: sharing, after: change, because: reason, at: work.now) {
            case .stays: continue
            case .passes(let heir):
                sharing.inviter = heir
                sharing.updatedAt = work.now
            case .ends(let status): sharing.become(status, at: work.now)
            }
            try work.tx.sharings.save(sharing)
            try SharingPush.notify(sharing, in: &work)
        }
    }
}
