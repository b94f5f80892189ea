import Domain
import Storage
import Wire

/// A device in a batch, with its users, and with its status after the messages processed so far.
struct DeviceEntry {
    /// The separately written parts of a status.
    struct Changes: OptionSet {
        let rawValue: UInt8
        /// The part that is changed by reports.
        static let reported = Changes(rawValue: 1)
        /// The presence of the device.
        static let presence = Changes(rawValue: 2)
    }

    let did: DeviceID
    /// The device's status; nil if the device is unknown.
    fileprivate(set) var record: StatusRecord?
    /// The device's product, or nil if the product or device is unknown.
    fileprivate(set) var product: Product?
    /// The users who receive the device's messages.
    fileprivate(set) var subscribers: [UserID] = []
    /// The subscribers as a set, for batches that refresh many users' statuses.
    private(set) lazy var subscriberSet = Set(subscribers)
    /// The parts of the status that the batch has changed.
    private(set) var changes: Changes = []
    /// The newest reports in the status as it was loaded, before the batch changed the status.
    fileprivate(set) var newestAtLoad: Status.Newest?
    /// The changed attributes, kept only if a reader of the event log requests statuses.
    private(set) var changed: [String] = []
    /// The beginning of the current ownership period, loaded only if the device reports old events or bytes.
    ///
    /// Bytes are binary data in a report (`Report.binary`).
    fileprivate(set) var ownershipSince: Instant?

    fileprivate init(_ did: DeviceID) { self.did = did }

    /// Adds changed attributes; a linear search is enough, since a batch changes few attributes.
    mutating func note(changed names: [String]) {
        for name in names where !changed.contains(name) { changed.append(name) }
    }

    /// Records a status in which some parts have changed.
    mutating func change(_ part: Changes, to status: Status) {
        record?.status = status
        changes.insert(part)
    }
}

/// The devices in a batch, each with an index.
struct DeviceEntries {
    /// The entries, in the order in which the devices were first named.
    var entries: [DeviceEntry] = []
    private var places: [DeviceID: Int] = [:]

    /// Returns the product of a device in the batch, or nil if the product or device is unknown.
    func product(of did: DeviceID) -> Product? { places[did].flatMap { entries[$0].product } }

    /// Returns the product key of a device in the batch, or nil if the device is unknown.
    func productKey(of did: DeviceID) -> ProductKey? { places[did].flatMap { entries[$0].record?.productKey } }

    /// Logs the changed statuses if a reader of the event log requests statuses.
    func logStatuses(in work: inout UnitOfWork) {
        for entry in entries where !entry.changed.isEmpty {
            guard let record = entry.record else { continue }
            work.log(record, changed: entry.changed.sorted(), product: entry.product)
        }
    }

    /// Locks the items' devices, sets each item's device index, and loads the devices' statuses, products and users.
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
            // An app sees only devices of its own products.
            if let key = entries[place].record?.productKey, let app = try work.app(app), !app.products.contains(key) {
                return
            }
            entries[place].subscribers.append(uid)
        }
        try loadOwnership(for: items, in: work)
    }

    /// Returns the index of a device; a device that is new in the batch gets the next index.
    private mutating func place(of did: DeviceID) -> Int {
        if let known = places[did] { return known }
        let place = entries.count
        entries.append(DeviceEntry(did))
        places[did] = place
        return place
    }

    /// Loads the beginning of the current ownership period for each device that reports old events or bytes.
    ///
    /// Events and bytes from before the current ownership period belong to the previous owner. The new owner must not
    /// see them.
    private mutating func loadOwnership(for items: [StatusItem], in work: UnitOfWork) throws {
        let recent = work.now.adding(seconds: -Self.recentSeconds)
        let old = items.filter { item in
            guard case .report(let received) = item.input, received.report.isShownByTime else { return false }
            return received.report.ts.map { $0 < recent } ?? false
        }
        let places = Set(old.map(\.place)).sorted()
        try work.tx.devices.ownershipSince(of: places.map { entries[$0].did }) {
            entries[places[$0]].ownershipSince = $1
        }
    }

    /// The age, in seconds, above which events and bytes count as old.
    ///
    /// Old events and bytes are shown only if they are from the current ownership period.
    private static let recentSeconds: Int64 = 60

    /// Returns the statuses in which a part has changed, in the order of the devices' ids.
    func records(_ part: DeviceEntry.Changes) -> [StatusRecord] {
        let changed = entries.indices.filter { entries[$0].changes.contains(part) }
        return changed.sorted { entries[$0].did < entries[$1].did }.compactMap { entries[$0].record }
    }
}

extension Report {
    /// Whether the report has alerts, faults or bytes; the report's time decides whether users see these.
    fileprivate var isShownByTime: Bool { !alerts.isEmpty || !faults.isEmpty || binary != nil }
}

// MARK: Messages to users

extension DeviceEntry {
    /// Returns whether a user receives the device's messages.
    func isSubscribed(_ uid: UserID) -> Bool { subscribers.contains(uid) }

    /// Publishes the device's status to each subscribed user as a retained message.
    ///
    /// The message also names the changed attributes and the actor that changed them.
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

    /// Publishes a user's retained status again, or clears it if the user isn't subscribed or the device is unknown.
    mutating func refreshStatus(of uid: UserID, in work: inout UnitOfWork) {
        guard let record, subscriberSet.contains(uid) else { return clearStatus(of: uid, in: &work) }
        let payload = StatusCodec.encode(record.status, of: did, product: product)
        retain(payload, for: uid, in: &work)
    }

    /// Clears a user's retained status of the device.
    func clearStatus(of uid: UserID, in work: inout UnitOfWork) {
        retain([], for: uid, in: &work)
    }

    private func retain(_ payload: [UInt8], for uid: UserID, in work: inout UnitOfWork) {
        let topic = work.topics.user(uid, device: did, "status")
        work.effects.publish(OutboundMessage(topic, payload, isRetained: true))
    }

    /// Publishes an event to all subscribed users.
    func publish(_ event: Event, in work: inout UnitOfWork) {
        publish(EventCodec.encode(event), leaf: "event", in: &work)
    }

    /// Publishes to all subscribed users the bytes that a device has reported.
    ///
    /// `binary` is the bytes as base64 text, and `ts` is their effective time. `cid` is the number of the command that
    /// the bytes answer.
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
