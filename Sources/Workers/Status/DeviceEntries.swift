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
    /// The attributes that the batch's reports have changed.
    var changed: Set<String> = []
    /// The beginning of the present ownership period; nil unless the device reports old events or bytes.
    fileprivate(set) var ownershipSince: Instant?

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

    /// Returns the product of a device of the batch; nil if it or the device is unknown.
    func product(of did: DeviceID) -> Product? { places[did].flatMap { entries[$0].product } }

    /// Returns the product's key of a device of the batch; nil if the device is unknown.
    func productKey(of did: DeviceID) -> ProductKey? { places[did].flatMap { entries[$0].record?.productKey } }

    /// Logs the new statuses of devices whose version has grown, one for each device, if a reader wants them.
    func logStatuses(in work: inout UnitOfWork) throws {
        guard try work.keepsStatuses() else { return }
        for entry in entries where !entry.changed.isEmpty {
            guard let record = entry.record else { continue }
            work.log(record, changed: entry.changed.sorted(), product: entry.product)
        }
    }

    /// Gives each item its device's place, locks the devices until the end of the transaction, and loads their
    /// statuses, products and users.
    mutating func load(_ items: inout [StatusItem], in work: UnitOfWork) throws {
        for index in items.indices { items[index].place = place(of: items[index].did) }
        let dids = entries.map(\.did)
        try work.tx.lock(devices: dids)
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
        try loadOwnership(for: items, in: work)
    }

    /// Returns a device's place; a new device gets the next place.
    private mutating func place(of did: DeviceID) -> Int {
        if let known = places[did] { return known }
        let place = entries.count
        entries.append(DeviceEntry(did))
        places[did] = place
        return place
    }

    /// Loads when the current ownership of devices that report old events or bytes began, so that a new owner never
    /// sees events of the previous one.
    private mutating func loadOwnership(for items: [StatusItem], in work: UnitOfWork) throws {
        let recent = work.now.adding(seconds: -Self.recentSeconds)
        let old = items.filter { item in
            guard case .report(let report, _) = item.input, report.isShownByTime, let ts = report.ts else {
                return false
            }
            return ts < recent
        }
        let places = Set(old.map(\.place)).sorted()
        try work.tx.devices.ownershipSince(of: places.map { entries[$0].did }) {
            entries[places[$0]].ownershipSince = $1
        }
    }

    /// The age in seconds above which a report's events need the ownership period of its device.
    private static let recentSeconds: Int64 = 60

    /// Returns the statuses of which a part has changed, in the order of the devices' ids.
    func records(_ part: DeviceEntry.Changes) -> [StatusRecord] {
        let changed = entries.indices.filter { entries[$0].changes.contains(part) }
        return changed.sorted { entries[$0].did < entries[$1].did }.compactMap { entries[$0].record }
    }
}

extension Report {
    /// Whether the time of the report decides which users see parts of it.
    fileprivate var isShownByTime: Bool { !alerts.isEmpty || !faults.isEmpty || binary != nil }
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
