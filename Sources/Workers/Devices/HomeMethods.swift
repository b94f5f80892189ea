import Domain
import Storage
import Wire

/// The methods `home/…`, about the homes in which a user groups devices (`schemas/methods/home.schema.json`).
enum HomeMethods {
    static let all: [String: Method] = [
        "home/list": Method(isReading: true, run: list), "home/create": Method(locks: .user, run: create),
        "home/rename": Method(locks: .user, run: rename), "home/delete": Method(locks: .user, run: delete),
        "home/addDevice": Method(locks: .userAndDevice, run: addDevice),
        "home/removeDevice": Method(locks: .userAndDevice, run: removeDevice),
    ]

    // MARK: Homes

    @Sendable
    private static func list(_ call: inout Call) throws -> Reply {
        let offset = Int(try call.pageOffset())
        let homes = try call.tx.homes.all(of: call.caller().uid).dropFirst(offset)
        let rows = try AnswerRows.fitting(homes) { home in
            HomeCodec.row(home, dids: try call.tx.homes.devices(in: home.id))
        }
        let next = rows.count < homes.count ? "\(offset + rows.count)" : nil
        return .result(AnswerRows.page(.homes, rows, next: next))
    }

    @Sendable
    private static func create(_ call: inout Call) throws -> Reply {
        let name = try HomeCodec.name(call.fields)
        let place = try HomeCodec.place(call.fields)
        let uid = try call.caller().uid
        guard try call.tx.homes.all(of: uid).count < call.limits.homesPerUser else {
            throw Rejection(.forbidden, "The maximum number of homes is reached.")
        }
        let id = try make(name, at: place, for: uid, &call)
        return .result(HomeCodec.created(id))
    }

    /// Makes a home.
    @discardableResult
    static func make(
        _ name: String,
        at place: Location?,
        for uid: UserID,
        _ call: inout Call
    ) throws -> HomeID {
        let id = HomeID(trusted: call.work.makeID("h"))
        let home = Home(id: id, uid: uid, name: name, place: place, createdAt: call.tx.now)
        try call.tx.homes.save(home)
        return id
    }

    @Sendable
    private static func rename(_ call: inout Call) throws -> Reply {
        var home = try home(call)
        let place = try HomeCodec.place(call.fields)
        home.name = try HomeCodec.name(call.fields)
        if let place, place != home.place {
            home.place = place
            try replan(home.uid, &call)
        }
        try call.tx.homes.save(home)
        return .done
    }

    @Sendable
    private static func delete(_ call: inout Call) throws -> Reply {
        let home = try home(call)
        let dids = try call.tx.homes.devices(in: home.id)
        try call.tx.homes.delete(home)
        for did in dids { try DeviceMethods.notifyChanged(did, &call) }
        if home.place != nil, !dids.isEmpty { try replan(home.uid, &call) }
        return .done
    }

    // MARK: Devices

    @Sendable
    private static func addDevice(_ call: inout Call) throws -> Reply {
        let home = try home(call)
        let binding = try DeviceMethods.binding(call)
        guard try call.tx.homes.home(of: binding.did, home.uid) != home.id else {
            return .done
        }
        try call.tx.homes.put(binding.did, into: home.id, of: home.uid)
        try replan(home.uid, &call)
        try DeviceMethods.notifyChanged(binding.did, &call)
        return .done
    }

    @Sendable
    private static func removeDevice(_ call: inout Call) throws -> Reply {
        let home = try home(call)
        let did = try call.fields.did()
        guard try call.tx.homes.home(of: did, home.uid) == home.id else {
            throw Rejection(.resourceNotFound, "The device is not in this home.", field: "params.did")
        }
        try call.tx.homes.takeOut(did, of: [home.uid])
        if home.place != nil { try replan(home.uid, &call) }
        try DeviceMethods.notifyChanged(did, &call)
        return .done
    }

    /// Replans a user's sunrise and sunset schedules, which depend on the locations of the user's homes.
    private static func replan(_ uid: UserID, _ call: inout Call) throws {
        try call.tx.replans.add(.user(uid))
        call.work.effects.wake(.schedule)
    }

    private static func home(_ call: Call) throws -> Home {
        let id = try call.fields.homeID()
        guard let home = try call.tx.homes.find(id, of: call.caller().uid) else {
            throw Rejection(
                .resourceNotFound,
                "You have no such home.",
                field: "params.homeId"
            )
        }
        return home
    }
}
