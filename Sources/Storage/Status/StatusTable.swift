package import Domain
import JSON

/// The current statuses of devices: one row for each device.
package struct StatusTable: TransactionTable {
    let transaction: Transaction
    /// The cache of the store's writer, or nil in a transaction that only reads.
    private var cache: WriterCache? { transaction.writerCache }

    /// The statement that writes only a device's presence.
    private static let savePresence = StatusRecord.table.updating(.apart)

    func create(_ did: DeviceID, product: ProductKey, at now: Instant) throws {
        try transaction.requireLock(of: did)
        let record = StatusRecord(did: did, productKey: product, status: Status(ts: now))
        try sql.run(StatusRecord.table.insert, record)
        cache?.put(CollectionOfOne(record))
    }

    func forget(_ did: DeviceID) throws {
        try transaction.requireLock(of: did)
        try sql.run("DELETE FROM status WHERE did = $1", did)
        cache?.remove(did)
    }

    /// Returns one device's status; nil if there is no such device.
    package func find(_ did: DeviceID) throws -> StatusRecord? {
        var found: StatusRecord?
        try load([did]) { found = $1 }
        return found
    }

    /// Passes to `body` the status of each device that exists, with the device's index in `dids`.
    package func load(_ dids: [DeviceID], _ body: (Int, StatusRecord) -> Void) throws {
        let wanted = cache?.find(dids, body) ?? Array(dids.indices)
        var read: [StatusRecord] = []
        try sql.query(StatusRecord.table.find, each: wanted) {
            dids[$0]
        } row: { place, row in
            let record = row.nextRow(StatusRecord.self)
            read.append(record)
            body(place, record)
        }
        cache?.put(read)
    }

    /// Returns connected devices in the order of their ids, starting after `did`.
    package func online(after did: String, limit: Int) throws -> [DeviceID] {
        try sql.values("SELECT did FROM status WHERE online = 1 AND did > $1 ORDER BY did LIMIT $2", did, limit)
    }

    /// Returns the number of connected devices.
    package func onlineCount() throws -> Int64 { try sql.integer("SELECT count(*) FROM status WHERE online = 1") ?? 0 }

    /// Stores the attributes of the statuses in `reported`, and the presence of the statuses in `moved`.
    ///
    /// Both arrays contain only existing devices, sorted by id.
    ///
    /// Attributes and presence are written separately, because presence changes seldom and an index depends on it.
    package func save(reported: [StatusRecord], moved: [StatusRecord] = []) throws {
        try transaction.requireLocks(of: reported.map(\.did) + moved.map(\.did))
        try sql.run(StatusRecord.table.update, each: reported)
        try sql.run(Self.savePresence, each: moved)
        cache?.put(reported)
        cache?.put(moved)
        // The gate's file may need the largest of these connection numbers (`GateCredentials.record`).
        for record in moved { transaction.gate.note(connection: record.status.presence.connection) }
    }

    /// Returns the largest connection number of all statuses, or 0 before the first connection.
    static func lastConnection(_ sql: SQL) throws -> Int64 {
        try sql.integer("SELECT coalesce(max(connection), 0) FROM status") ?? 0
    }

    /// Clears everything that a device reported, but lets the status's version continue to grow.
    package func wipe(_ did: DeviceID, at now: Instant) throws {
        guard var record = try find(did) else { return }
        record.status.attributes = []
        record.status.open = []
        record.status.newest = nil
        record.status.cleared = []
        record.status.version += 1
        record.status.ts = now
        try save(reported: [record])
    }
}

/// A device's status, together with the device's product, as one row.
package struct StatusRecord: Sendable {
    /// The device.
    package var did: DeviceID
    /// The device's product.
    package var productKey: ProductKey
    /// The current status.
    package var status: Status
}

extension StatusRecord: TableRow {
    package static let table = Table<StatusRecord>("status")

    /// Maps the columns of a status.
    ///
    /// The columns of the presence have the role `.apart`, because `save` writes them with a separate statement.
    package static func map(_ column: inout ColumnMapper<StatusRecord>) -> StatusRecord {
        let did = column("did", \.did, as: .key)
        let productKey = column("productKey", \.productKey)
        let version = column("version", \.status.version, as: .changing)
        var status = Status(ts: column("ts", \.status.ts, as: [.changing, .apart]))
        status.version = version
        status.attributes = column("attributes", { StatusAttributes($0.status.attributes) }, as: .changing).values
        let conditions = column("conditions", { StatusConditions($0.status) }, as: .changing)
        status.open = conditions.open
        status.cleared = conditions.cleared
        status.newest = column("recent", \.status.newest, as: .changing)
        status.historyUse = HistoryUse(
            day: column("historyDay", \.status.historyUse.day, as: .changing),
            bytes: column("historyBytes", \.status.historyUse.bytes, as: .changing),
            toldAt: column("historyToldAt", \.status.historyUse.toldAt, as: .changing)
        )
        status.historyCount = HistoryCount(
            day: column("historyCountDay", \.status.historyCount.day, as: .changing),
            records: column("historyCount", \.status.historyCount.records, as: .changing),
            recordsBefore: column("historyCountBefore", \.status.historyCount.recordsBefore, as: .changing)
        )
        status.presence.isOnline = column("online", \.status.presence.isOnline, as: .apart)
        status.presence.isAlive = column("alive", \.status.presence.isAlive, as: .apart)
        status.presence.connection = column("connection", \.status.presence.connection, as: .apart)
        status.presence.session = column("session", \.status.presence.session, as: .apart)
        status.presence.lastSeenAt = column("lastSeenAt", \.status.presence.lastSeenAt, as: .apart)
        status.presence.listensFrom =
            column("listensFrom", \.status.presence.listensFrom, as: .apart)
        return StatusRecord(did: did, productKey: productKey, status: status)
    }
}

/// The attributes of a status, stored as `{"name": [value, ts], …}`.
struct StatusAttributes: ColumnValue {
    static var columnType: ColumnType { .text }
    var values: [Status.Attribute]

    init(_ values: [Status.Attribute]) { self.values = values }

    init(_ column: Column) {
        values = JSONObject(column).members.compactMap { member in
            guard case .array(let pair) = member.value, pair.count == 2,
                let ts = pair[1].intValue
            else { return nil }
            return .init(name: member.key, value: pair[0], ts: Instant(milliseconds: ts))
        }
    }

    func bind(to parameter: Parameter) {
        var writer = JSONWriter(capacity: 64 + 48 * values.count)
        writer.beginObject()
        for attribute in values {
            writer.name(attribute.name)
            writer.beginArray()
            writer.value(attribute.value)
            writer.value(attribute.ts.milliseconds)
            writer.endArray()
        }
        writer.endObject()
        writer.finish().withUnsafeBytes { parameter.set(text: $0) }
    }
}

/// A status's alerts and faults as `[[kind, name, eventId, ts], …]`, where a cleared condition's `eventId` is null.
struct StatusConditions: ColumnValue {
    static var columnType: ColumnType { .text }
    var open: [Status.OpenCondition] = []
    var cleared: [Status.ClearedCondition] = []

    init(_ status: Status) {
        open = status.open
        cleared = status.cleared
    }

    init(_ column: Column) {
        // The text `[]` needs no parsing. Most devices have neither alerts nor faults.
        let stored = column.withText { $0.count <= 2 ? nil : try? JSONValue.parse($0) }
        for value in stored?.arrayValue ?? [] {
            guard let parts = value.arrayValue, parts.count == 4,
                let kind = parts[0].stringValue.flatMap(ConditionKind.init(rawValue:)), let name = parts[1].stringValue,
                let milliseconds = parts[3].intValue
            else { continue }
            let ts = Instant(milliseconds: milliseconds)
            if let id = parts[2].stringValue {
                open.append(.init(kind: kind, name: name, eventID: id, ts: ts))
            } else {
                cleared.append(.init(kind: kind, name: name, ts: ts))
            }
        }
    }

    func bind(to parameter: Parameter) {
        guard !open.isEmpty || !cleared.isEmpty else { return "[]".bind(to: parameter) }
        JSONValue.array(
            open.map { Self.row($0.kind, $0.name, id: .string($0.eventID), ts: $0.ts) }
                + cleared.map { Self.row($0.kind, $0.name, id: .null, ts: $0.ts) }
        ).bind(to: parameter)
    }

    private static func row(_ kind: ConditionKind, _ name: String, id: JSONValue, ts: Instant) -> JSONValue {
        .array([.string(kind.rawValue), .string(name), id, .integer(ts.milliseconds)])
    }
}

/// The newest reports, stored as little-endian numbers of eight bytes: first the time, then the fingerprints.
extension Status.Newest: ColumnValue {
    package static var columnType: ColumnType { .bytes }
    package init(_ column: Column) {
        let numbers = column.withBlob { bytes in
            stride(from: 0, to: bytes.count - 7, by: 8).map { start in
                UInt64(
                    littleEndian: UnsafeRawBufferPointer(bytes)
                        .loadUnaligned(fromByteOffset: start, as: UInt64.self)
                )
            }
        }
        self.init(
            ts: Instant(milliseconds: Int64(bitPattern: numbers.first ?? 0)),
            fingerprints: Array(numbers.dropFirst())
        )
    }

    package func bind(to parameter: Parameter) {
        let numbers = [UInt64(bitPattern: ts.milliseconds)] + fingerprints
        numbers.map(\.littleEndian).withUnsafeBytes { parameter.set(blob: $0) }
    }
}
