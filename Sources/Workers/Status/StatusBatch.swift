import Domain
import Storage
import Wire

/// The working set of one batch: its messages, their devices, and the effects.
///
/// Decode and claim, load, decide in memory message after message, save: a constant number of statements for any
/// number of messages.
struct StatusBatch {
    /// One item of work about one device.
    enum StatusInput {
        case report(Report, key: Int?)
        case presence(PresenceSignal)
        case info(RegistrationCodec.Info)
        /// A user's retained status must be published again, or cleared.
        case refresh(UserID)
        /// The broker keeps a status for a user, which must be checked.
        case kept(UserID)
        case mark(Instant)
    }

    struct Item {
        var input: StatusInput
        var device: Int
        var source: Inbound?
    }

    let topics: Topics
    let catalog: Catalog
    var effects = Effects()
    /// The outcomes of commands, which are sent before all other messages.
    var outcomes = Effects()
    var items: [Item] = []
    var registrations: [(request: RegistrationRequest, content: [UInt8], source: String?)] =
        []

    // The devices concerned, each at its place.
    var dids: [DeviceID] = []
    private(set) var places: [DeviceID: Int] = [:]
    var records: [StatusRecord?] = []
    var subscribers: [[UserID]] = []
    private var isChanged: [Bool] = []
    private var isMoved: [Bool] = []

    // Reports that must take effect once: each key at its place, with the resulting version.
    private var keys: [InboxKey] = []
    private var keyPlaces: [InboxKey: Int] = [:]
    var versions: [Int64?] = []
    private var claims: [(key: InboxKey, version: Int64)] = []
    /// The beginnings of the present ownership periods of devices that report old events or bytes.
    private(set) var ownershipSince: [Int: Instant] = [:]
    /// The records in the history at the times of late reports without an id.
    var past: [Moment: [[UInt8]]] = [:]
    /// The newest reports in each device's status when it was loaded.
    private(set) var newestAtFirst: [Status.Newest?] = []

    // The rows to be written.
    var history: [(device: Int, record: HistoryRecord)] = []
    var events: [(DeviceID, Event)] = []
    var commands: [CommandKey: Command] = [:]
    var answered: [CommandKey] = []
    /// Commands whose outcome is final now, and must be told.
    var finished: Set<CommandKey> = []
    /// Devices that came online, those with a new connection, and those that hear commands now.
    var arrived: Set<DeviceID> = []
    var connected: Set<DeviceID> = []
    var listening: Set<DeviceID> = []

    /// A device and a moment.
    struct Moment: Hashable {
        var device: Int
        var ts: Instant
    }

    struct CommandKey: Hashable {
        var did: DeviceID
        var cid: Int64
    }

    let dispatchSeconds: Int64
    let historyBytesPerDay: Int64

    private let limits: Limits
    let counts: CountLimits
    let quotas: QuotaFront

    init(_ environment: Environment, _ catalog: Catalog) {
        topics = environment.topics
        self.catalog = catalog
        limits = environment.limits
        dispatchSeconds = environment.limits.dispatchSeconds
        counts = environment.limits.counts
        quotas = environment.quotas
        historyBytesPerDay = environment.limits.historyBytesPerDay
    }

    /// Begins work that follows from the batch, in its transaction; its effects are the caller's to merge.
    func beginWork(in tx: Transaction) -> UnitOfWork {
        UnitOfWork(tx, topics: topics, limits: limits, catalog: catalog, ids: IDSource())
    }

    // MARK: Places

    mutating func add(_ input: StatusInput, of did: DeviceID, _ source: Inbound? = nil) {
        items.append(Item(input: input, device: place(of: did), source: source))
    }

    private mutating func place(of did: DeviceID) -> Int {
        if let known = places[did] { return known }
        let place = dids.count
        dids.append(did)
        places[did] = place
        return place
    }

    /// Returns the place of a key among those of the batch.
    mutating func place(of key: InboxKey) -> Int {
        if let known = keyPlaces[key] { return known }
        keys.append(key)
        keyPlaces[key] = keys.count - 1
        return keys.count - 1
    }

    mutating func claim(_ place: Int, version: Int64) {
        versions[place] = version
        claims.append((keys[place], version))
    }

    // MARK: Load and save

    mutating func load(in tx: Transaction) throws {
        records = Array(repeating: nil, count: dids.count)
        subscribers = Array(repeating: [], count: dids.count)
        isChanged = Array(repeating: false, count: dids.count)
        isMoved = isChanged
        versions = Array(repeating: nil, count: keys.count)
        try tx.inbox.find(keys) { versions[$0] = $1 }
        try tx.statuses.load(dids) { records[$0] = $1 }
        newestAtFirst = records.map { $0?.status.newest }
        try tx.bindings.subscribers(of: dids) { device, uid, app in
            // An app sees devices of its products only.
            if let key = records[device]?.productKey, let app = catalog.app(app),
                !app.products.contains(key)
            {
                return
            }
            subscribers[device].append(uid)
        }
        try loadPast(in: tx)
        try loadOwnership(in: tx)
        let wanted = items.compactMap { item -> (did: DeviceID, cid: Int64)? in
            guard case .report(let report, _) = item.input, let cid = report.cid else {
                return nil
            }
            return (dids[item.device], cid)
        }
        try tx.commands.load(wanted) { commands[CommandKey(did: $1.did, cid: $1.cid)] = $1 }
    }

    /// Loads when each device's current ownership began, so that a new owner never sees events of the previous
    /// one.
    private mutating func loadOwnership(in tx: Transaction) throws {
        let recent = tx.now.adding(seconds: -60)
        var wanted: Set<Int> = []
        for item in items where item.device >= 0 {
            guard case .report(let report, _) = item.input, let ts = report.ts, ts < recent,
                !report.alerts.isEmpty || !report.faults.isEmpty || report.binary != nil
            else { continue }
            wanted.insert(item.device)
        }
        let devices = wanted.sorted()
        try tx.devices.ownershipSince(of: devices.map { dids[$0] }) {
            ownershipSince[devices[$0]] = $1
        }
    }

    /// Loads the history at the times of reports that the devices' statuses can't distinguish from repeats.
    private mutating func loadPast(in tx: Transaction) throws {
        var wanted: [Moment] = []
        for item in items where item.device >= 0 {
            guard case .report(let report, nil) = item.input,
                let ts = Repeats.time(of: report, at: tx.now),
                let status = records[item.device]?.status,
                Repeats.needsHistory(ts, status)
            else { continue }
            let moment = Moment(device: item.device, ts: ts)
            if past.updateValue([], forKey: moment) == nil { wanted.append(moment) }
        }
        try tx.history.find(wanted.map { (dids[$0.device], $0.ts) }) { index, record in
            if let json = record.json { past[wanted[index], default: []].append(json) }
        }
    }

    /// Notes a status that a report has changed.
    mutating func change(_ device: Int, _ status: Status) {
        records[device]?.status = status
        isChanged[device] = true
    }

    /// Notes that a device's presence has changed.
    mutating func move(_ device: Int, _ status: Status) {
        records[device]?.status = status
        isMoved[device] = true
    }

    /// Returns a device's product; nil if the device or the product is unknown.
    func product(of device: Int) -> Product? {
        (records[device]?.productKey).flatMap { catalog.product($0) }
    }

    mutating func save(in tx: Transaction) throws {
        let order = dids.indices.sorted { dids[$0] < dids[$1] }
        try tx.statuses.save(
            reported: order.compactMap { isChanged[$0] ? records[$0] : nil },
            moved: order.compactMap { isMoved[$0] ? records[$0] : nil }
        )
        if !history.isEmpty {
            try tx.history.append(history.map(\.record))
        }
        try tx.events.append(events)
        try tx.inbox.add(claims)
        try saveCommands(in: tx)
        try requestDispatches(in: tx)
    }
}
