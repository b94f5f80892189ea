package import Domain
import JSON

/// A device's status with its product, as one row holds them.
package struct StatusRecord: Sendable {
    /// The device.
    package var did: DeviceID
    /// Its product.
    package var productKey: ProductKey
    /// The current status.
    package var status: Status
}

/// The current statuses of devices: one row for each device.
package struct StatusTable {
    let sql: SQL
    /// The writer's cache; nil for readers.
    let cache: WriterCache?
    /// Collects the largest connection number for the gate.
    let gate: GateChanges

    private static let columns = """
        productKey, version, ts, attributes, conditions, online, alive, connection, session,
        lastSeenAt, recent, did, listensFrom, historyDay, historyBytes, historyToldAt
        """

    func create(_ did: DeviceID, product: ProductKey, at now: Instant) throws {
        let record = StatusRecord(did: did, productKey: product, status: Status(ts: now))
        try sql.run(
            """
            INSERT INTO status (version, ts, attributes, conditions, recent, historyDay,
                historyBytes, historyToldAt, online, alive, connection, session, lastSeenAt,
                listensFrom, productKey, did)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
            """
        ) {
            Self.bindReported(record.status, &$0)
            Self.bind(record.status.presence, &$0)
            $0.add(product.text)
            $0.add(did.text)
        }
        cache?.put(CollectionOfOne(record))
    }

    func forget(_ did: DeviceID) throws {
        try sql.run("DELETE FROM status WHERE did = $1") { $0.add(did.text) }
        cache?.remove(did)
    }

    /// Returns one device's status, or nil.
    package func find(_ did: DeviceID) throws -> StatusRecord? {
        var found: StatusRecord?
        try load([did]) { found = $1 }
        return found
    }

    /// Hands over the status of each device that exists, with its index in the request.
    package func load(_ dids: [DeviceID], _ body: (Int, StatusRecord) -> Void) throws {
        var wanted = Array(dids.indices)
        if let cache {
            let (known, missing) = cache.find(dids)
            for (place, record) in known.enumerated() {
                if let record { body(place, record) }
            }
            wanted = missing
        }
        var read: [StatusRecord] = []
        try sql.query("SELECT \(Self.columns) FROM status WHERE did = $1", each: wanted) {
            $0.add(dids[$1].text)
        } row: { place, row in
            let record = Self.record(row, did: dids[place])
            read.append(record)
            body(place, record)
        }
        cache?.put(read)
    }

    /// Returns devices that are online, in the order of their ids, from behind one id on.
    package func online(after did: String, limit: Int) throws -> [DeviceID] {
        try sql.query(
            "SELECT did FROM status WHERE online = 1 AND did > $1 ORDER BY did LIMIT $2"
        ) {
            $0.add(did)
            $0.add(limit)
        } row: {
            DeviceID(trusted: $0.text(0))
        }
    }

    /// Returns how many devices are online.
    package func onlineCount() throws -> Int64 {
        try sql.integer("SELECT count(*) FROM status WHERE online = 1") ?? 0
    }

    /// Writes statuses of existing devices, in the order of their ids: the reported attributes of some, the
    /// presence of others or the same.
    ///
    /// Apart, because an index rests on presence, which changes seldom.
    package func save(reported: [StatusRecord], moved: [StatusRecord] = []) throws {
        try sql.run(
            """
            UPDATE status SET version = $1, ts = $2, attributes = $3, conditions = $4, recent = $5,
                historyDay = $6, historyBytes = $7, historyToldAt = $8
            WHERE did = $9
            """,
            each: reported
        ) { binder, record in
            Self.bindReported(record.status, &binder)
            binder.add(record.did.text)
        }
        try sql.run(
            """
            UPDATE status SET online = $1, alive = $2, connection = $3, session = $4,
                lastSeenAt = $5, listensFrom = $6, ts = $7
            WHERE did = $8
            """,
            each: moved
        ) { binder, record in
            Self.bind(record.status.presence, &binder)
            binder.add(record.status.ts.milliseconds)
            binder.add(record.did.text)
        }
        cache?.put(reported)
        cache?.put(moved)
        for record in moved { gate.note(connection: record.status.presence.connection) }
    }

    /// Returns the largest connection number ever reported; 0 before the first.
    static func lastConnection(_ sql: SQL) throws -> Int64 {
        try sql.integer("SELECT coalesce(max(connection), 0) FROM status") ?? 0
    }

    private static func bindReported(_ status: Status, _ binder: inout Binder) {
        binder.add(status.version)
        binder.add(status.ts.milliseconds)
        binder.add(text: encode(status.attributes))
        binder.add(text: encode(status.open, status.cleared))
        binder.add(bytes: status.newest.map(encode))
        binder.add(status.historyUse.day)
        binder.add(status.historyUse.bytes)
        binder.add(status.historyUse.toldAt?.milliseconds)
    }

    private static func bind(_ presence: Presence, _ binder: inout Binder) {
        binder.add(presence.isOnline)
        binder.add(presence.isAlive)
        binder.add(presence.connection)
        binder.add(presence.session)
        binder.add(presence.changedAt?.milliseconds)
        binder.add(presence.listensFrom?.milliseconds)
    }

    /// Forgets a device's reports of its ownership period so far; its version goes on.
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

    // MARK: Rows

    private static func record(_ row: Row, did: DeviceID) -> StatusRecord {
        var status = Status(ts: Instant(milliseconds: row.integer(2)))
        status.version = row.integer(1)
        status.attributes = attributes(row, 3)
        readConditions(row, 4, into: &status)
        status.presence.isOnline = row.bool(5)
        status.presence.isAlive = row.bool(6)
        status.presence.connection = row.integer(7)
        status.presence.session = row.optionalText(8)
        status.presence.changedAt = row.optionalInteger(9).map { Instant(milliseconds: $0) }
        status.presence.listensFrom = row.optionalInteger(12).map { Instant(milliseconds: $0) }
        status.newest = row.withBytes(10, text: false) { newest($0) }
        status.historyUse = HistoryUse(
            day: row.integer(13),
            bytes: row.integer(14),
            toldAt: row.optionalInteger(15).map { Instant(milliseconds: $0) }
        )
        return StatusRecord(did: did, productKey: ProductKey(trusted: row.text(0)), status: status)
    }

    /// Returns attributes as `{"name": [value, ts], …}`.
    private static func encode(_ attributes: [Status.Attribute]) -> [UInt8] {
        var writer = JSONWriter(capacity: 64 + 48 * attributes.count)
        writer.beginObject()
        for attribute in attributes {
            writer.name(attribute.name)
            writer.beginArray()
            writer.value(attribute.value)
            writer.value(attribute.ts.milliseconds)
            writer.endArray()
        }
        writer.endObject()
        return writer.finish()
    }

    static func attributes(_ row: Row, _ column: Int32) -> [Status.Attribute] {
        let stored = row.withBytes(column, text: true) { try? JSONValue.parse($0) }
        guard let members = stored?.objectValue?.members else { return [] }
        return members.compactMap { member in
            guard case .array(let pair) = member.value, pair.count == 2,
                let ts = pair[1].intValue
            else { return nil }
            return .init(name: member.key, value: pair[0], ts: Instant(milliseconds: ts))
        }
    }

    /// Returns the newest reports as numbers of eight bytes, the lowest first: the time, then the fingerprints.
    private static func encode(_ newest: Status.Newest) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 + 8 * newest.fingerprints.count)
        append(UInt64(bitPattern: newest.ts.milliseconds), to: &bytes)
        for fingerprint in newest.fingerprints { append(fingerprint, to: &bytes) }
        return bytes
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private static func newest(_ bytes: UnsafeBufferPointer<UInt8>) -> Status.Newest? {
        let numbers = stride(from: 0, to: bytes.count - 7, by: 8).map { start in
            UInt64(
                littleEndian: UnsafeRawBufferPointer(bytes)
                    .loadUnaligned(fromByteOffset: start, as: UInt64.self)
            )
        }
        guard let ts = numbers.first else { return nil }
        return Status.Newest(
            ts: Instant(milliseconds: Int64(bitPattern: ts)),
            fingerprints: Array(numbers.dropFirst())
        )
    }

    private static let noConditions = Array("[]".utf8)

    /// Returns conditions as `[[kind, name, eventId, ts], …]`; null stands for the id of one that is off.
    private static func encode(
        _ open: [Status.OpenCondition],
        _ cleared: [Status.ClearedCondition]
    ) -> [UInt8] {
        guard !open.isEmpty || !cleared.isEmpty else { return noConditions }
        func row(
            _ kind: ConditionKind,
            _ name: String,
            _ id: JSONValue,
            _ ts: Instant
        ) -> JSONValue {
            .array([.string(kind.rawValue), .string(name), id, .integer(ts.milliseconds)])
        }
        return JSONValue.array(
            open.map { row($0.kind, $0.name, .string($0.eventID), $0.ts) }
                + cleared.map { row($0.kind, $0.name, .null, $0.ts) }
        ).encoded()
    }

    static func openConditions(_ row: Row, _ column: Int32) -> [Status.OpenCondition] {
        var status = Status(ts: Instant(milliseconds: 0))
        readConditions(row, column, into: &status)
        return status.open
    }

    private static func readConditions(_ row: Row, _ column: Int32, into status: inout Status) {
        let stored: JSONValue? = row.withBytes(column, text: true) { bytes in
            bytes.count <= 2 ? nil : try? JSONValue.parse(bytes)
        }
        for value in stored?.arrayValue ?? [] {
            guard let parts = value.arrayValue, parts.count == 4,
                let kind = parts[0].stringValue.flatMap(ConditionKind.init(rawValue:)),
                let name = parts[1].stringValue, let milliseconds = parts[3].intValue
            else { continue }
            let ts = Instant(milliseconds: milliseconds)
            if let id = parts[2].stringValue {
                status.open.append(.init(kind: kind, name: name, eventID: id, ts: ts))
            } else {
                status.cleared.append(.init(kind: kind, name: name, ts: ts))
            }
        }
    }
}
