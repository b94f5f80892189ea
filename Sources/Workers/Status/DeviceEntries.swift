import Domain
import Storage
import Wire

/// A device in a batch: its status after the messages decided so far, and its users.
struct DeviceEntry {
    /// The parts of a status that are written separately.
    struct Changes: OptionSet {
        let rawValue: UInt8
        /// The part that reports change.
        static let reported = Changes(rawValue: 1)
        /// The presence.
        static let presence = Changes(rawValue: 2)
    }

    let did: DeviceID
    /// The status; nil if the device is unknown.
    fileprivate(set) var record: StatusRecord?
    /// The product; nil if it or the device is unknown.
    fileprivate(set) var product: Product?
    /// The users who receive the device's messages.
    fileprivate(set) var subscribers: [UserID] = []
    /// The parts of the status that the batch has changed.
    private(set) var changes: Changes = []
    /// The newest reports in the status when it was loaded; the batch's reports may have replaced them.
    fileprivate(set) var newestAtLoad: Status.Newest?
    /// The beginning of the present ownership period; nil unless the batch needs it (`ReportProcessor`).
    var ownershipSince: Instant?

    fileprivate init(_ did: DeviceID) { self.did = did }

    /// Records a status in which some parts have changed.
    mutating func change(_ part: Changes, to status: Status) {
        record?.status = status
        changes.insert(part)
    }
}

/// The devices in a batch, each at its place.
struct DeviceEntries {
    /// The entries, in the order in which messages first named their devices.
    var entries: [DeviceEntry] = []
    private var places: [DeviceID: Int] = [:]

    /// Returns a device's place; a new device gets the next place.
    mutating func place(of did: DeviceID) -> Int {
        if let known = places[did] { return known }
        let place = entries.count
        entries.append(DeviceEntry(did))
        places[did] = place
        return place
    }

    /// Returns the product of a device of the batch; nil if it or the device is unknown.
    func product(of did: DeviceID) -> Product? { places[did].flatMap { entries[$0].product } }

    /// Locks all devices until the end of the transaction.
    func lock(in tx: Transaction) throws { try tx.lock(devices: entries.map(\.did)) }

    /// Loads the statuses, products and users of all devices, which are locked.
    mutating func load(in work: UnitOfWork) throws {
        let dids = entries.map(\.did)
        try work.tx.statuses.load(dids) { place, record in
            entries[place].newestAtLoad = record.status.newest
            entries[place].record = record
        }
        for place in entries.indices {
            guard let key = entries[place].record?.productKey else { continue }
            entries[place].product = try work.product(key)
        }
        try work.tx.bindings.subscribers(of: dids) { place, uid, app in
            // An app sees devices of its products only.
            if let key = entries[place].record?.productKey, let app = try work.app(app), !app.products.contains(key) {
                return
            }
            entries[place].subscribers.append(uid)
        }
    }

    /// Writes the changed statuses, in the order of the devices' ids.
    func save(in tx: Transaction) throws {
        let order = entries.indices.sorted { entries[$0].did < entries[$1].did }
        func records(_ part: DeviceEntry.Changes) -> [StatusRecord] {
            order.compactMap { entries[$0].changes.contains(part) ? entries[$0].record : nil }
        }
        try tx.statuses.save(reported: records(.reported), moved: records(.presence))
    }
}

// MARK: Messages to users

extension DeviceEntry {
    /// Returns whether a user receives the device's messages.
    func isSubscribed(_ uid: UserID) -> Bool { subscribers.contains(uid) }

    /// Publishes the status to all users as their retained status.
    ///
    /// `changed` names the attributes that a report changed; `actor` caused the change.
    func publishStatus(
        changed: [String] = [],
        actor: Actor? = nil,
        in work: inout UnitOfWork
    ) {
        guard let status = record?.status else { return }
        func payload(for reader: UserID?) -> [UInt8] {
            StatusCodec.encode(status, of: did, changed: changed, product: product, actor: actor, for: reader)
        }
        let common = payload(for: nil)
        let user = actor.flatMap { $0.kind == .user ? UserID($0.id) : nil }
        for uid in subscribers { retain(uid == user ? payload(for: uid) : common, for: uid, in: &work) }
    }

    /// Publishes a subscribed user's retained status again, and clears it for other users.
    func refreshStatus(of uid: UserID, in work: inout UnitOfWork) {
        guard let record, isSubscribed(uid) else { return clearStatus(of: uid, in: &work) }
        let payload = StatusCodec.encode(record.status, of: did, product: product)
        retain(payload, for: uid, in: &work)
    }

    /// Clears a user's retained status.
    func clearStatus(of uid: UserID, in work: inout UnitOfWork) {
        retain([], for: uid, in: &work)
    }

    private func retain(_ payload: [UInt8], for uid: UserID, in work: inout UnitOfWork) {
        let topic = work.topics.user(uid, device: did, "status")
        work.effects.publish(OutboundMessage(topic, payload, isRetained: true))
    }

    /// Publishes an event to all users.
    func publish(_ event: Event, in work: inout UnitOfWork) {
        publish(EventCodec.encode(event), leaf: "event", in: &work)
    }

    /// Publishes a device's own bytes to all users as base64 text, with their effective time and the command they
    /// answer.
    func publish(binary: String, ts: Instant, cid: Int64?, in work: inout UnitOfWork) {
        let payload = StatusCodec.binary(binary, of: did, ts: ts, cid: cid)
        publish(payload, leaf: "binary", in: &work)
    }

    private func publish(_ payload: [UInt8], leaf: StaticString, in work: inout UnitOfWork) {
        for uid in subscribers {
            let topic = work.topics.user(uid, device: did, leaf)
            work.effects.publish(OutboundMessage(topic, payload))
        }
    }
}
