package import Domain
package import JSON

/// What a device reported at one moment.
package struct HistoryRecord: Sendable {
    /// The device.
    package var did: DeviceID
    /// The time that counts.
    package var ts: Instant
    /// The values as JSON text, or nil.
    package var json: [UInt8]?
    /// The device's own bytes as base64 text, or nil.
    package var binary: String?

    /// The values, or nil.
    package var data: JSONObject? { json.flatMap { try? JSONValue.parse($0).objectValue } }

    /// Makes a record of values, of the device's own bytes, or of both.
    package init(did: DeviceID, ts: Instant, data: JSONObject?, binary: String? = nil) {
        self.init(did: did, ts: ts, json: data?.encoded(), binary: binary)
    }

    /// Makes a record of values that are JSON text already.
    package init(did: DeviceID, ts: Instant, json: [UInt8]?, binary: String? = nil) {
        self.did = did
        self.ts = ts
        self.json = json
        self.binary = binary
    }
}

/// What devices reported, each report a row.
package struct HistoryTable {
    let transaction: Transaction

    /// Adds records, which must be in the order of their devices' ids.
    package func append(_ records: [HistoryRecord]) throws {
        try transaction.sql.run(
            "INSERT INTO history (did, ts, seq, data, bytes) VALUES ($1, $2, $3, $4, $5)",
            each: records
        ) { binder, record in
            binder.add(record.did.text)
            binder.add(record.ts.milliseconds)
            binder.add(transaction.stamps.next(transaction.now))
            if let json = record.json {
                binder.add(text: json)
            } else {
                binder.add(nil as String?)
            }
            binder.add(record.binary)
        }
    }

    /// Hands over the place of each record whose device has one of the same time and values.
    package func find(_ records: [HistoryRecord], _ body: (Int) -> Void) throws {
        try transaction.sql.query(
            "SELECT data FROM history WHERE did = $1 AND ts = $2",
            each: records.indices
        ) {
            $0.add(records[$1].did.text)
            $0.add(records[$1].ts.milliseconds)
        } row: { index, row in
            let isSame = row.withBytes(0, text: true) { stored in
                records[index].json.map { $0.elementsEqual(stored) } ?? false
            }
            if isSame { body(index) }
        }
    }

    /// How many rows a device has.
    package func count(_ did: DeviceID) throws -> Int64 {
        try transaction.sql.integer("SELECT count(*) FROM history WHERE did = $1") {
            $0.add(did.text)
        } ?? 0
    }

    /// A device's records, oldest first.
    package func all(_ did: DeviceID, limit: Int = 1000) throws -> [HistoryRecord] {
        try transaction.sql.query(
            "SELECT ts, data, bytes FROM history WHERE did = $1 ORDER BY ts, seq LIMIT $2"
        ) {
            $0.add(did.text)
            $0.add(limit)
        } row: { row in
            HistoryRecord(
                did: did,
                ts: Instant(milliseconds: row.integer(0)),
                json: row.isNull(1) ? nil : Array(row.text(1).utf8),
                binary: row.optionalText(2)
            )
        }
    }

    /// Tells whether a device has rows older than a moment.
    package func isOlder(than ts: Instant, _ did: DeviceID) throws -> Bool {
        try transaction.sql.integer("SELECT 1 FROM history WHERE did = $1 AND ts < $2 LIMIT 1") {
            $0.add(did.text)
            $0.add(ts.milliseconds)
        } != nil
    }

    /// Removes rows older than a moment, at most so many; tells how many.
    package func prune(before ts: Instant, of did: DeviceID, limit: Int) throws -> Int {
        try transaction.sql.run(
            """
            DELETE FROM history WHERE (did, ts, seq) IN (
                SELECT did, ts, seq FROM history WHERE did = $1 AND ts < $2 ORDER BY ts LIMIT $3)
            """
        ) {
            $0.add(did.text)
            $0.add(ts.milliseconds)
            $0.add(limit)
        }
        return transaction.sql.changes
    }
}

/// What happened to devices.
package struct EventTable {
    let transaction: Transaction

    /// Adds events with their devices.
    package func append(_ events: [(DeviceID, Event, actor: String)]) throws {
        try transaction.sql.run(
            """
            INSERT INTO event (did, ts, seq, eventId, type, name, value, reason, actor)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            each: events
        ) { binder, entry in
            let (did, event, actor) = entry
            binder.add(did.text)
            binder.add(event.ts.milliseconds)
            binder.add(transaction.stamps.next(transaction.now))
            binder.add(event.id)
            binder.add(event.type)
            binder.add(event.name)
            binder.add(event.value.map { String(decoding: $0.encoded(), as: UTF8.self) })
            binder.add(event.reason)
            binder.add(actor)
        }
    }
}
