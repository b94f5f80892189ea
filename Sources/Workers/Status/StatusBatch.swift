import Domain
import JSON
import Sodium
import Storage
import Wire

/// The working set of one batch: what came, the devices it concerns, and what follows.
///
/// Decode and claim, load, decide in memory message after message, save: a constant number of
/// statements, whatever the number of messages.
struct StatusBatch {
    /// One thing that concerns one device.
    enum Matter {
        case report(Report, key: Int?)
        case presence(PresenceSignal)
        case info(RegistrationCodec.Info)
        /// A user's retained status is to be said anew, or cleared.
        case refresh(UserID)
        /// The broker keeps a status for a user; is it owed?
        case kept(UserID)
        case mark(Instant)
    }

    struct Item {
        var matter: Matter
        var device: Int
        var source: Inbound?
    }

    let topics: Topics
    let catalog: Catalog
    var owed = Owed()
    var items: [Item] = []
    var registrations: [(request: RegistrationRequest, content: [UInt8])] = []

    // The devices concerned, each at its place.
    var dids: [DeviceID] = []
    private var places: [DeviceID: Int] = [:]
    var records: [StatusRecord?] = []
    var subscribers: [[UserID]] = []
    private var isChanged: [Bool] = []

    // Reports that must take effect once, each key at its place, with the version it led to.
    private var keys: [InboxKey] = []
    private var keyPlaces: [InboxKey: Int] = [:]
    var versions: [Int64?] = []
    private var claims: [(key: InboxKey, version: Int64)] = []
    // Reports without an id whose row in the history tells whether they came before.
    private var timed: [HistoryRecord] = []
    private var timedPlaces: [(key: Int, device: Int)] = []
    /// The values of such a report as JSON text, by its key's place: the history keeps the same.
    private(set) var timedJSON: [Int: [UInt8]] = [:]

    // What is to be written.
    var history: [(device: Int, record: HistoryRecord)] = []
    var events: [(DeviceID, Event, actor: String)] = []
    var commands: [CommandKey: Command] = [:]
    var answered: [CommandKey] = []
    /// Commands of which the last is known now, and is to be told.
    var finished: Set<CommandKey> = []

    struct CommandKey: Hashable {
        var did: DeviceID
        var cid: Int64
    }

    init(_ topics: Topics, _ catalog: Catalog) {
        self.topics = topics
        self.catalog = catalog
    }

    // MARK: Decode

    mutating func decode(_ message: Inbound, at now: Instant) {
        switch topics.parse(message.topic) {
        case .report(let did): decodeReport(message, did, at: now)
        case .presence(let did):
            decode(message, did) { bytes throws(WireError) in
                .presence(try PresenceCodec.decode(device: bytes))
            }
        case .gatePresence(let did):
            decode(message, did) { bytes throws(WireError) in
                .presence(try PresenceCodec.decode(gate: bytes))
            }
        case .info(let did):
            decode(message, did, isSecret: true) { bytes throws(WireError) in
                .info(try RegistrationCodec.decode(info: bytes))
            }
        case .register(let key, let mac): decodeRegistration(message, key, mac)
        case .status(let uid, let did):
            // Only what the broker had kept is of interest; the rest are our own words coming back.
            if message.isRetained { add(.kept(uid), of: did) }
        case .workerState:
            guard let state = SystemCodec.decode(workerState: message.payload) else { return }
            items.append(Item(matter: .mark(state.ts), device: -1))
        case .malformed(let reason): putAside(message, .topic, reason, isSecret: true)
        default:
            putAside(message, .topic, "the topic is not for this worker", isSecret: true)
        }
    }

    private mutating func decodeReport(_ message: Inbound, _ did: DeviceID, at now: Instant) {
        do {
            let report = try ReportCodec.decode(message.payload)
            let key = key(of: report, did, message.payload, at: now)
            add(.report(report, key: key), of: did, message)
        } catch {
            refuse(message, did, error)
        }
    }

    private mutating func decode(
        _ message: Inbound,
        _ did: DeviceID,
        isSecret: Bool = false,
        _ body: (ArraySlice<UInt8>) throws(WireError) -> Matter
    ) {
        do {
            add(try body(message.payload), of: did, message)
        } catch {
            refuse(message, did, error, isSecret: isSecret)
        }
    }

    private mutating func decodeRegistration(
        _ message: Inbound,
        _ key: ProductKey,
        _ mac: MAC
    ) {
        do {
            let request = try RegistrationCodec.decode(message.payload, productKey: key, mac: mac)
            registrations.append((request, Sodium.sha256(message.payload)))
        } catch {
            putAside(message, .malformed, error.reason, isSecret: true)
            owed.count(error.rejection)
            guard let id = error.id else { return }
            owed.publish(
                OutboundMessage(
                    topics.registered(key, mac),
                    AnswerCodec.refusal(id, error.rejection)
                )
            )
        }
    }

    mutating func add(_ matter: Matter, of did: DeviceID, _ source: Inbound? = nil) {
        items.append(Item(matter: matter, device: place(of: did), source: source))
    }

    private mutating func place(of did: DeviceID) -> Int {
        if let known = places[did] { return known }
        let place = dids.count
        dids.append(did)
        places[did] = place
        return place
    }

    // MARK: Claim

    /// The place of the key under which a report takes effect once: its id, or its time and
    /// content; nil where each delivery counts.
    private mutating func key(
        of report: Report,
        _ did: DeviceID,
        _ payload: ArraySlice<UInt8>,
        at now: Instant
    ) -> Int? {
        if let id = report.id { return place(of: InboxKey(did: did, id: id.text)).place }
        guard let ts = report.ts else { return nil }
        guard report.isDataOnly, StatusRules.effective(ts, at: now) == ts,
            let data = report.points.first?.data
        else {
            let digest = Sodium.base64URL(Array(Sodium.sha256(payload).prefix(18)))
            return place(of: InboxKey(did: did, id: "#" + digest)).place
        }
        // Its row in the history tells that it came before; within the batch a hash does.
        let json = data.encoded()
        var hasher = Hasher()
        hasher.combine(ts)
        hasher.combine(json)
        let key = InboxKey(did: did, id: "@" + String(hasher.finalize(), radix: 36))
        let (place, isNew) = place(of: key)
        if isNew {
            timed.append(HistoryRecord(did: did, ts: ts, json: json))
            timedPlaces.append((place, self.place(of: did)))
            timedJSON[place] = json
        }
        return place
    }

    private mutating func place(of key: InboxKey) -> (place: Int, isNew: Bool) {
        if let known = keyPlaces[key] { return (known, false) }
        keys.append(key)
        keyPlaces[key] = keys.count - 1
        return (keys.count - 1, true)
    }

    mutating func claim(_ place: Int, version: Int64) {
        versions[place] = version
        guard !keys[place].isTimed else { return }
        claims.append((keys[place], version))
    }

    // MARK: Load and save

    mutating func load(in tx: Transaction) throws {
        records = Array(repeating: nil, count: dids.count)
        subscribers = Array(repeating: [], count: dids.count)
        isChanged = Array(repeating: false, count: dids.count)
        versions = Array(repeating: nil, count: keys.count)
        let named = keys.indices.filter { !keys[$0].isTimed }
        try tx.inbox.find(named.map { keys[$0] }) { versions[named[$0]] = $1 }
        try tx.statuses.load(dids) { records[$0] = $1 }
        try tx.bindings.subscribers(of: dids) { subscribers[$0].append($1) }
        try findTimed(in: tx)
        let wanted = items.compactMap { item -> (did: DeviceID, cid: Int64)? in
            guard case .report(let report, _) = item.matter, let cid = report.cid else {
                return nil
            }
            return (dids[item.device], cid)
        }
        try tx.commands.load(wanted) { commands[CommandKey(did: $1.did, cid: $1.cid)] = $1 }
    }

    /// Looks for reports without an id that came before.
    ///
    /// One that is newer than all the device has
    /// said can't be among them, and that is nearly every one.
    private mutating func findTimed(in tx: Transaction) throws {
        let doubtful = timed.indices.filter { index in
            let attributes = records[timedPlaces[index].device]?.status.attributes ?? []
            return attributes.contains { $0.ts >= timed[index].ts }
        }
        try tx.history.find(doubtful.map { timed[$0] }) {
            versions[timedPlaces[doubtful[$0]].key] = 0
        }
    }

    mutating func change(_ device: Int, _ status: Status) {
        records[device]?.status = status
        isChanged[device] = true
    }

    mutating func save(in tx: Transaction) throws {
        let order = dids.indices.sorted { dids[$0] < dids[$1] }
        try tx.statuses.save(order.compactMap { isChanged[$0] ? records[$0] : nil })
        if !history.isEmpty {
            var rank = [Int](repeating: 0, count: order.count)
            for (place, device) in order.enumerated() { rank[device] = place }
            history.sort { rank[$0.device] < rank[$1.device] }
            try tx.history.append(history.map(\.record))
        }
        try tx.events.append(events)
        try tx.inbox.add(claims)
        try saveCommands(in: tx)
    }

    private mutating func saveCommands(in tx: Transaction) throws {
        guard !answered.isEmpty else { return }
        try tx.commands.save(answered.compactMap { commands[$0] })
        for key in answered where finished.contains(key) {
            guard let command = commands[key] else { continue }
            let product = places[key.did].flatMap { records[$0] }
                .flatMap { catalog.product($0.productKey) }
            try CommandOutcome.tell(command, product: product, topics: topics, in: tx, owed: &owed)
        }
    }

    // MARK: Bad messages

    mutating func putAside(
        _ message: Inbound,
        _ kind: PutAside.Kind,
        _ reason: String,
        isSecret: Bool = false
    ) {
        owed.putAside(
            kind,
            reason,
            topic: message.topicText,
            payload: isSecret
                ? Payload.shape(of: message.payload)
                : Array(message.payload.prefix(Payload.bytesMax)),
            isShapeOnly: isSecret
        )
    }

    private mutating func refuse(
        _ message: Inbound,
        _ did: DeviceID,
        _ error: WireError,
        isSecret: Bool = false
    ) {
        putAside(message, .malformed, error.reason, isSecret: isSecret)
        owed.count(error.rejection)
        guard let id = error.id else { return }
        owed.publish(
            OutboundMessage(topics.response(did), AnswerCodec.refusal(id, error.rejection))
        )
    }
}

extension InboxKey {
    /// Whether the key holds within one batch only, and the history tells of earlier ones.
    fileprivate var isTimed: Bool { id.utf8.first == UInt8(ascii: "@") }
}
