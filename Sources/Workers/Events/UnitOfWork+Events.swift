import Domain
import Storage
import Wire

/// Entries of the event log, written in the same transaction as the changes that they describe.
extension UnitOfWork {
    /// Logs a device's event, encoded in the same way as for the device's users.
    mutating func log(_ event: Event, of did: DeviceID, product: ProductKey?) {
        guard let type = EventType(event), let product else { return }
        let data = EventCodec.encode(event)
        effects.log(LoggedEvent(type, at: now, did: did, product: product, actor: event.actor, data: data))
    }

    /// Logs a device's new status, for readers that want statuses.
    mutating func log(_ record: StatusRecord, changed: [String] = [], product: Product?) {
        let data = StatusCodec.encode(record.status, of: record.did, changed: changed, product: product)
        effects.log(LoggedEvent(.deviceStatus, at: now, did: record.did, product: record.productKey, data: data))
    }

    /// Removes a device's reported values, and logs the status if readers want statuses.
    mutating func wipeStatus(of did: DeviceID) throws {
        try tx.statuses.wipe(did, at: now)
        guard try keepsStatuses(), let record = try tx.statuses.find(did) else { return }
        log(record, product: try product(record.productKey))
    }

    /// Logs an event about a device and perhaps a user.
    ///
    /// If `product` is nil and the device has been removed, nothing is logged. `app` is the app of the user `uid`. If
    /// `uid` is nil, `app` is the app of the user who acts. If `app` is nil, the app is read from the store.
    mutating func log(
        _ type: EventType,
        of did: DeviceID,
        product: ProductKey? = nil,
        uid: UserID? = nil,
        actor: Actor,
        app: AppID? = nil,
        data: [UInt8]
    ) throws {
        guard let product = try product ?? tx.statuses.find(did)?.productKey else { return }
        let acting = actor.kind == .user && actor != .erased ? UserID(trusted: actor.id) : nil
        let home = try app ?? (uid ?? acting).flatMap { try tx.accounts.find($0)?.app }
        var event = LoggedEvent(type, at: now, did: did, product: product, uid: uid, app: home, data: data)
        // An entry of the event log must not name users of two apps.
        let isOfHome = try app != nil || acting == uid || acting.map { try tx.accounts.find($0)?.app == home } ?? true
        event.actor = isOfHome ? actor : nil
        effects.log(event)
    }

    /// Logs a change of an account; `changed` names a change of its security, or is nil.
    mutating func log(_ type: EventType, of user: User, by actor: Actor, changed: User.SecurityChange? = nil) {
        let data = LoggedEventCodec.account(user, isDeleted: type == .accountDeleted, changed: changed)
        effects.log(LoggedEvent(type, at: now, uid: user.uid, actor: actor, app: user.app, data: data))
    }

    /// Stores a new account, and logs its creation.
    mutating func insert(_ user: User, deviceID: String?, by actor: Actor) throws {
        try tx.accounts.insert(user, deviceID: deviceID)
        log(.accountCreated, of: user, by: actor)
    }

    /// Stores a changed account, and logs the change.
    mutating func save(_ user: User, by actor: Actor, changed: User.SecurityChange? = nil) throws {
        let changed = try changed ?? tx.accounts.find(user.uid).flatMap { user.change(since: $0) }
        try tx.accounts.save(user)
        log(.accountChanged, of: user, by: actor, changed: changed)
    }

    /// Logs the beginning or the end of a session.
    mutating func log(_ type: EventType, of session: Session, actor: Actor, data: [UInt8]) {
        effects.log(LoggedEvent(type, at: now, uid: session.uid, actor: actor, app: session.app, data: data))
    }

    /// Logs a message from the maker, which the notifier passes on to users.
    mutating func logMessage(_ content: [UInt8], uid: UserID?, did: DeviceID?, by actor: Actor, app: AppID) {
        let type = EventType.notificationSent
        effects.log(LoggedEvent(type, at: now, did: did, uid: uid, actor: actor, app: app, data: content))
    }
}
