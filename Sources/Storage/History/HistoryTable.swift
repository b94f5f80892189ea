package import Domain
package import JSON

/// A device's report of one moment.
package struct HistoryRecord: Sendable, Equatable {
    /// The device.
    package var did: DeviceID
    /// The effective time.
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

    /// Makes a record of values already encoded as JSON text.
    package init(did: DeviceID, ts: Instant, json: [UInt8]?, binary: String? = nil) {
        self.did = did
        self.ts = ts
        self.json = json
        self.binary = binary
    }
}

/// The history of devices' reports.
///
/// A record is first in the buffer, which has one row for each batch of reports, and later in a chunk of its device,
/// which covers up to an hour, ascending by time. Every reader reads both.
package struct HistoryTable: TransactionTable {
    let transaction: Transaction

    /// The longest time that one chunk covers, in milliseconds; a chunk that reaches a moment begins at most this long
    /// before it.
    static let spanMax: Int64 = 3_600_000

    /// The sums of days, for long charts.
    package var days: HistoryDayTable { HistoryDayTable(transaction: transaction) }

    /// The newest records, not sorted yet.
    package var buffer: HistoryBuffer { HistoryBuffer(transaction: transaction) }

    /// Adds records in the order of arrival.
    package func append(_ records: [HistoryRecord]) throws {
        try buffer.append(records)
    }

    /// Passes the records of devices at certain moments to `body`, with the index in `wanted`.
    ///
    /// Reads the whole buffer once, so it is only for the few reports that are older than their device's last one.
    package func find(_ wanted: [(did: DeviceID, ts: Instant)], _ body: (Int, HistoryRecord) -> Void) throws {
        guard !wanted.isEmpty else { return }
        try sql.query(
            """
            SELECT \(HistoryChunk.table.columns) FROM history
            WHERE did = $1 AND fromTs >= $2 AND fromTs <= $3 AND toTs >= $3
            """,
            each: wanted.indices
        ) {
            (
                wanted[$0].did,
                wanted[$0].ts.milliseconds - Self.spanMax,
                wanted[$0].ts
            )
        } row: { index, row in
            let (did, ts) = wanted[index]
            HistoryLine.forEach(in: row.nextRow(HistoryChunk.self).lines) { line in
                guard HistoryLine.ts(line) == ts.milliseconds, let record = HistoryLine.record(line, of: did) else {
                    return
                }
                body(index, record)
            }
        }
        var places: [DeviceID: [Int]] = [:]
        for (place, one) in wanted.enumerated() { places[one.did, default: []].append(place) }
        try buffer.forEach(at: Set(wanted.map(\.ts.milliseconds))) { did, line in
            for place in places[did] ?? [] where wanted[place].ts.milliseconds == HistoryLine.ts(line) {
                if let record = HistoryLine.record(line, of: did) { body(place, record) }
            }
        }
    }

    /// Returns how many records a device has.
    package func count(_ did: DeviceID) throws -> Int64 {
        var count = try sql.integer("SELECT CAST(sum(count) AS BIGINT) FROM history WHERE did = $1", did) ?? 0
        try buffer.forEach { other, _ in if other == did { count += 1 } }
        return count
    }

    /// Returns whether a device has chunks, or sums of days, that are wholly older than a moment.
    package func isOlder(than ts: Instant, _ did: DeviceID) throws -> Bool {
        try sql.integer(
            """
            SELECT 1 FROM history WHERE did = $1 AND fromTs < $2 AND toTs < $2
            UNION ALL SELECT 1 FROM historyDay WHERE did = $1 AND day < $3 LIMIT 1
            """,
            did,
            ts,
            HistoryDay.number(of: ts.milliseconds)
        ) != nil
    }

    /// Passes `body` a device's records of a time that aren't in a chunk yet, in the order of arrival.
    package func buffered(_ did: DeviceID, from: Instant, to: Instant, _ body: (HistoryRecord) -> Void) throws {
        try buffer.lines(of: did, from: from, to: to) { line in
            if let record = HistoryLine.record(line, of: did) { body(record) }
        }
    }

    /// Deletes at most `limit` chunks that are wholly older than a moment; returns how many.
    ///
    /// Also deletes the sums of days that began before it.
    package func prune(before ts: Instant, of did: DeviceID, limit: Int) throws -> Int {
        try days.prune(before: ts, of: did)
        try sql.run(
            """
            DELETE FROM history WHERE (did, fromTs, seq) IN (
                SELECT did, fromTs, seq FROM history
                WHERE did = $1 AND fromTs < $2 AND toTs < $2 ORDER BY fromTs LIMIT $3)
            """,
            did,
            ts,
            limit
        )
        return try sql.changes
    }
}
