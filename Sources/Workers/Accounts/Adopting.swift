import Domain
import Storage
import Wire

/// The move of an anonymous user's bindings, schedules and homes to the account that logs in on the same terminal.
///
/// The move is part of the login's transaction, so the login and the move both take effect, or neither does.
struct Adopting {
    /// The anonymous user whose session is on the terminal.
    let anonymous: User
    /// The account that receives the devices.
    let account: User

    /// Finds the anonymous user whose session this login replaces, or returns nil.
    init?(_ before: Session?, adoptedBy account: User, _ call: Call) throws {
        guard let before, !account.isAnonymous, before.uid != account.uid,
            before.app == call.app.id,
            before.refusal(at: call.tx.now) == nil,
            let anonymous = try call.tx.accounts.find(before.uid), anonymous.isAnonymous,
            anonymous.region == account.region
        else { return nil }
        self.anonymous = anonymous
        self.account = account
    }

    /// Moves the devices if the request has `adopt`, or else only counts them.
    ///
    /// If the login replaces no anonymous user of the account's region, there is nothing to move. The result is then
    /// zero moved devices for a request with `adopt`, or nil for a request without `adopt`.
    static func answer(_ before: Session?, adoptedBy account: User, _ call: inout Call) throws -> SessionCodec.Adoption?
    {
        let isAsked = try call.fields.adopts()
        guard let adopting = try Adopting(before, adoptedBy: account, call) else { return isAsked ? .adopted(0) : nil }
        guard isAsked else { return .adoptable(try adopting.devices(call).count) }
        return .adopted(try adopting.run(&call))
    }

    /// Returns the devices to move.
    ///
    /// Devices that the account already has are always included. Other devices are included until the account has
    /// reached its limit of devices.
    private func devices(_ call: Call) throws -> [DeviceID] {
        var room = try call.limits.devicesPerUser - call.tx.bindings.count(ofUser: account.uid)
        return try call.tx.adoptions.devices(of: anonymous.uid).filter { did in
            guard let binding = try call.tx.bindings.find(did, anonymous.uid), !binding.isOver(at: call.tx.now) else {
                return false
            }
            if try call.tx.bindings.find(did, account.uid) != nil { return true }
            room -= 1
            return room >= 0
        }
    }

    /// Moves bindings, homes and invitations, and returns the number of moved devices.
    private func run(_ call: inout Call) throws -> Int {
        try call.tx.lock(naming: {
            let sharings = try openSharings(call).compactMap { try call.tx.sharings.find($0) }
            return (users: [], devices: try self.devices(call) + sharings.map(\.did))
        })
        let devices = try devices(call)
        var former: [DeviceID: Binding.Role] = [:]
        for did in devices { former[did] = try move(did, &call) }
        let room = call.limits.homesPerUser - (try call.tx.homes.all(of: account.uid).count)
        try call.tx.adoptions.moveHomes(from: anonymous.uid, to: account.uid, limit: room)
        try moveSharings(&call)
        if !devices.isEmpty {
            // Schedules at sunrise or sunset now depend on the location of the account's user.
            try call.tx.replans.add(.user(account.uid))
            call.work.effects.wake(.schedule)
            call.work.effects.wake(.status)
        }
        try notifyUsers(of: devices, former: former, &call)
        try call.audit(.adopted, of: account.uid, detail: "\(devices.count) devices")
        return devices.count
    }

    /// Moves a binding with its schedules and open commands.
    ///
    /// - Returns: The account's previous role on the device, if any.
    private func move(_ did: DeviceID, _ call: inout Call) throws -> Binding.Role? {
        let tx = call.tx
        guard let taken = try tx.bindings.find(did, anonymous.uid) else { return nil }
        let own = try tx.bindings.find(did, account.uid)
        let binding = Adoption.merge(taken, into: own, of: account.uid)
        try tx.adoptions.move(binding, from: anonymous.uid)
        let commands = try tx.commands.open(did).filter { $0.user == anonymous.uid }
        try tx.adoptions.give(commands, to: account.uid)
        try tx.refreshes.add([anonymous.uid, account.uid].map { Refresh(did: did, uid: $0) })
        return own?.role
    }

    /// Returns the open invitations that either user made or received, in the order of their ids.
    private func openSharings(_ call: Call) throws -> [SharingID] {
        let adoptions = call.tx.adoptions
        return try Set(adoptions.openSharings(of: anonymous.uid) + adoptions.openSharings(of: account.uid)).sorted()
    }

    private func moveSharings(_ call: inout Call) throws {
        let tx = call.tx
        for id in try openSharings(call) {
            guard let sharing = try tx.sharings.find(id) else { continue }
            let binding = try tx.bindings.find(sharing.did, account.uid)
            let moved = Adoption.move(sharing, from: anonymous.uid, to: account.uid, binding: binding)
            guard var moved else { continue }
            moved.updatedAt = tx.now
            try tx.sharings.save(moved)
            try SharingPush.notify(moved, in: &call.work)
        }
    }

    /// After all devices have been moved, notifies both users and each device's special users and owners.
    private func notifyUsers(of devices: [DeviceID], former: [DeviceID: Binding.Role], _ call: inout Call) throws {
        let actor = call.anybody(account.uid)
        for did in devices {
            let push = DevicePush(did, by: actor)
            try push.notify(.unbound(.transferred), anonymous.uid, in: &call.work)
            let bindings = try call.tx.bindings.all(of: did)
            let role = bindings.first { $0.uid == account.uid }?.role
            var change = BindingCodec.Change.bound
            if let former = former[did], let role { change = former == role ? .changed : .roleChanged(role) }
            try push.notifyWithDevice(change, account.uid, in: &call.work)
            for other in bindings where other.role.isPrincipal && other.uid != account.uid {
                try push.notify(.usersChanged, other.uid, in: &call.work)
            }
            if try call.tx.schedules.count(ofDevice: did) > 0 { try ScheduleNotifications.push(did, in: &call.work) }
        }
    }
}
