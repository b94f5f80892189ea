import Domain
import Storage
import Wire

/// Messages on `user/{uid}/device` that notify users of a change to one of their devices.
struct DevicePush {
    private let did: DeviceID
    private let actor: Actor

    /// Prepares messages about a change that an actor made to a device.
    init(_ did: DeviceID, by actor: Actor) {
        self.did = did
        self.actor = actor
    }

    /// Notifies a user of a change to a device.
    ///
    /// If a binding begins, ends or gets a new role, the change is also logged.
    func notify(
        _ change: BindingCodec.Change,
        _ uid: UserID,
        device: AnswerRow? = nil,
        in work: inout UnitOfWork
    ) throws {
        let payload = BindingCodec.push(change, of: did, device: device, at: work.now, actor: actor, for: uid)
        work.effects.publish(OutboundMessage(work.topics.user(uid, "device"), payload))
        let type: EventType
        switch change {
        case .bound: type = .deviceBound
        case .unbound: type = .deviceUnbound
        case .roleChanged: type = .deviceRoleChanged
        case .changed, .usersChanged, .resetRequested: return
        }
        try work.log(type, of: did, uid: uid, actor: actor, data: payload)
    }

    /// Notifies a user of a change; the message contains the device as `device/list` now shows it.
    func notifyWithDevice(_ change: BindingCodec.Change, _ uid: UserID, in work: inout UnitOfWork) throws {
        guard let row = try work.tx.bindings.listed(did, uid) else { return }
        try notify(change, uid, device: work.row(of: row), in: &work)
    }
}

extension UnitOfWork {
    /// Returns the row of a user's device in `device/list`.
    func row(of listed: BindingTable.Listed) throws -> AnswerRow {
        BindingCodec.row(
            listed.binding,
            productKey: listed.productKey,
            mac: listed.mac,
            productName: try product(listed.productKey)?.name ?? "",
            isOnline: listed.isOnline,
            home: listed.home
        )
    }
}
