import Administration
import Domain
import JSON
import Storage
import Workers

/// A finder of new changes to the objects that a stream watches.
struct LiveFeed: Sendable {
    private let hub: LiveHub
    private var position: StreamPosition
    private var refusals: [Int64: Int64] = [:]
    /// The time after which a session of the operator counts as new to this stream.
    private var signedInAt: Instant?
    private var taps: [Watch: Tap.Position] = [:]
    private var lastSlow: ContinuousClock.Instant?
    private var readers: [Watch: LogReader] = [:]

    /// The maximum number of rows of a log that one event contains.
    private static let toldMax = 100
    /// How many seconds a stream looks back for refusals and new sessions when it begins to watch.
    ///
    /// A page first reads its list and then begins to watch. Without these seconds, the page would miss the refusals
    /// that came in between.
    private static let before: Int64 = 10
    /// The interval at which the overview and the system are checked; these checks are slow.
    private static let slowInterval: Duration = .seconds(1)

    init(_ hub: LiveHub, position: StreamPosition) {
        (self.hub, self.position) = (hub, position)
    }

    /// Returns the events since the last check.
    ///
    /// The overview, the system and the tap are read separately. All other events show the same state of the store,
    /// because one transaction reads them. The overview and the system are examined only once a second.
    mutating func look(at watches: [Watch], _ caller: Caller, hasChanged: Bool) throws -> [LiveEvent] {
        position.keep(watches)
        taps = taps.filter { watches.contains($0.key) }
        let now = ContinuousClock.now
        let isSlowDue = lastSlow.map { now - $0 >= Self.slowInterval } ?? true
        if isSlowDue { lastSlow = now }
        var events: [LiveEvent] = []
        if isSlowDue, watches.contains(.overview) {
            tell("overview", try hub.overview.json(), of: .overview, in: &events)
        }
        if isSlowDue, watches.contains(.system) {
            tell("system", try SystemView.glance(hub.context.service), of: .system, in: &events)
        }
        for watch in watches { try lookAtTap(watch, caller, into: &events) }
        guard hasChanged else { return events }
        try hub.context.store.read(at: hub.context.now) { tx in
            for watch in watches { try look(at: watch, caller, in: tx, into: &events) }
            try lookAtSignIns(of: caller, in: tx, into: &events)
        }
        return events
    }

    private mutating func look(
        at watch: Watch,
        _ caller: Caller,
        in tx: Transaction,
        into events: inout [LiveEvent]
    ) throws {
        switch watch {
        case .overview, .system, .tap: break
        case .device(let did): tell("device", try DeviceView.row(of: did, in: tx), of: watch, in: &events)
        case .page(let did): tell("page", try DevicePageView.change(did, in: tx), of: watch, in: &events)
        case .user(let uid): tell("user", try UserView.change(uid, in: tx), of: watch, in: &events)
        case .connect(let key, let mac):
            tell("connect", try ConnectView.state(key, mac, in: tx), of: watch, in: &events)
        case .messages:
            let rows = try MessageView.newest(hub.context.service, for: caller.role, in: tx)
            tell("messages", rows, of: watch, in: &events)
        case .schedules:
            tell("schedules", ["changed": .string(try tx.schedules.changeMark())], of: watch, in: &events)
        case .deadLetters: try lookAtDeadLetters(in: tx, into: &events)
        case .audit: try lookAtAudit(in: tx, into: &events)
        case .refusals: try lookAtRefusals(in: tx, into: &events)
        }
    }

    /// Reports an object's state if it has changed since the last report.
    ///
    /// If the object no longer exists, its removal is reported once.
    private mutating func tell(_ name: String, _ state: JSONObject?, of watch: Watch, in events: inout [LiveEvent]) {
        let data = state ?? ["term": .string(watch.text)]
        var compared = data
        compared["at"] = nil
        let digest = StreamPosition.digest(compared.encoded())
        guard position[watch] != digest else { return }
        position[watch] = digest
        events.append(LiveEvent(name: state == nil ? "gone" : name, data: data, id: position.id))
    }

    /// Reports the tapped messages whose line numbers are larger than the last reported number.
    ///
    /// In a resumed stream, this is the last number that was reported before the interruption.
    private mutating func lookAtTap(_ watch: Watch, _ caller: Caller, into events: inout [LiveEvent]) throws {
        guard case .tap(let did) = watch else { return }
        var place = taps[watch] ?? hub.tap.begin(after: position[watch])
        let data = try hub.tap.look(did, from: &place, for: caller.role) { dids in
            try hub.context.store.read { try $0.devices.names(of: dids) }
        }
        (taps[watch], position[watch]) = (place, place.number)
        guard let data else { return }
        events.append(LiveEvent(name: "tap", data: data, id: position.id))
    }

    /// Reports a new session to the operator's other sessions, as a warning against intruders.
    private mutating func lookAtSignIns(of caller: Caller, in tx: Transaction, into events: inout [LiveEvent]) throws {
        guard let own = caller.session else { return }
        let begin = hub.context.now.adding(seconds: -Self.before)
        let known = signedInAt ?? max(begin, own.createdAt)
        let sessions = try tx.operators.sessions(of: caller.name)
        signedInAt = max(known, sessions.first?.createdAt ?? known)
        for session in sessions.reversed() where session.createdAt > known && session.id != own.id {
            let data: JSONObject = [
                "sessionId": .string(session.id), "at": Shown.moment(session.createdAt),
                "address": .string(session.address), "client": .string(session.client),
            ]
            events.append(LiveEvent(name: "signIn", data: data, id: position.id))
        }
    }

    // MARK: Logs

    private mutating func lookAtDeadLetters(in tx: Transaction, into events: inout [LiveEvent]) throws {
        let topics = hub.context.environment.topics
        try tellRows(
            "deadLetters",
            of: .deadLetters,
            within: Self.deadLettersDistance,
            newest: { try tx.deadLetters.newest() },
            id: { $0.id },
            page: { try tx.deadLetters.page(after: $0, limit: $1) },
            shown: { try DeadLetterView.rows($0, topics, in: tx) },
            in: &events
        )
    }

    private mutating func lookAtAudit(in tx: Transaction, into events: inout [LiveEvent]) throws {
        try tellRows(
            "audit",
            of: .audit,
            within: Self.auditDistance,
            newest: { try tx.audit.newestID() },
            id: { $0.id },
            page: { try tx.audit.page(after: $0, limit: $1) },
            shown: { try AuditView.rows($0, in: tx) },
            in: &events
        )
    }

    /// The maximum by which a new audit line's id can be smaller than the newest id.
    ///
    /// Ids are times in microseconds. A new line's id can be smaller than the newest id, because transactions take time
    /// and clocks differ. Both together amount to less than ten seconds.
    private static let auditDistance: Int64 = 10_000_000
    /// The maximum by which a new dead letter's number can be smaller than the newest number.
    ///
    /// The database numbers dead letters when it stores them. A transaction takes less than ten seconds, and fewer than
    /// 1,000 dead letters are stored in this time.
    private static let deadLettersDistance: Int64 = 1_000

    private mutating func tellRows<Row>(
        _ name: String,
        of watch: Watch,
        within distance: Int64,
        newest: () throws -> Int64,
        id: (Row) -> Int64,
        page: (_ after: Int64, _ limit: Int) throws -> [Row],
        shown: ([Row]) throws -> [JSONObject],
        in events: inout [LiveEvent]
    ) throws {
        let isShared = hub.context.store.isShared
        var reader = readers[watch] ?? LogReader(distance: isShared ? distance : 0, limit: Self.toldMax)
        let rows = try reader.newRows(after: &position[watch], newest: newest, id: id, page: page)
        readers[watch] = reader
        guard !rows.isEmpty else { return }
        let data = Shown.page(try shown(rows))
        events.append(LiveEvent(name: name, data: data, id: position.id))
    }

    /// Reports the refusals that have occurred since the last report, new refusals as well as repeated ones.
    private mutating func lookAtRefusals(in tx: Transaction, into events: inout [LiveEvent]) throws {
        let begin = hub.context.now.adding(seconds: -Self.before)
        let known = position[.refusals] ?? begin.milliseconds
        let rows = try tx.refusals.page(since: Instant(milliseconds: known), limit: Self.toldMax)
        let isFirst = refusals.isEmpty
        let new = rows.filter { row in
            if isFirst { return row.refusal.lastAt.milliseconds > known }
            return refusals[row.id] != row.refusal.times
        }
        for row in rows { refusals[row.id] = row.refusal.times }
        if refusals.count > 10 * Self.toldMax {
            refusals = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0.refusal.times) })
        }
        position[.refusals] = max(known, rows.last?.refusal.lastAt.milliseconds ?? 0)
        guard !new.isEmpty else { return }
        let items = try RefusalView.rows(new.reversed(), in: tx)
        events.append(LiveEvent(name: "refusals", data: Shown.page(items), id: position.id))
    }
}
