package import Domain
package import JSON

/// A device's report and the time of its values, as the history stores them.
package struct HistoryRecord: Sendable, Equatable {
    /// The device.
    package var did: DeviceID
    /// The time of the report's values.
    package var ts: Instant
    /// The values as JSON text, or nil if the record has no values.
    package var json: [UInt8]?
    /// The report's binary data as base64 text, or nil without binary data.
    package var binary: String?

    /// The values, or nil if `json` is nil or can't be parsed.
    package var data: JSONObject? { json.flatMap { try? JSONValue.parse($0).objectValue } }

    /// Makes a record of values, of binary data, or of both.
    package init(did: DeviceID, ts: Instant, data: JSONObject?, binary: String? = nil) {
        self.init(did: did, ts: ts, json: data?.encoded(), binary: binary)
    }

    /// Makes a record from values that are already encoded as JSON text.
    package init(did: DeviceID, ts: Instant, json: [UInt8]?, binary: String? = nil) {
        (self.did, self.ts, self.json, self.binary) = (did, ts, json, binary)
    }
}

/// The history of devices' reports.
///
/// A record first goes into the buffer. The buffer has one row for each batch of reports. Compaction then moves the
/// record into a chunk. A chunk contains records of one device, in ascending order of time. These records span at most
/// an hour. Readers read both the buffer and the chunks.
package struct HistoryTable: TransactionTable {
    let transaction: Transaction

    /// The maximum time from a chunk's beginning to its last line, in milliseconds.
    static let spanMax: Int64 = 3_600_000

    /// The sums of each past day's values, used for charts of long periods.
    package var days: HistoryDayTable { HistoryDayTable(transaction: transaction) }

    /// The newest records, which have not been compacted yet.
    package var buffer: HistoryBuffer { HistoryBuffer(transaction: transaction) }

    /// Adds records, which must be in the order of arrival.
    package func append(_ records: [HistoryRecord]) throws {
        try buffer.append(records)
    }

    /// Passes stored records to `body`, each with the index of its entry in `wanted`.
    ///
    /// The method reads the whole buffer. Callers use it only for reports older than their device's last report. Such
    /// reports are rare.
    package func find(_ wanted: [(did: DeviceID, ts: Instant)], _ body: (Int, HistoryRecord) -> Void) throws {
        guard !wanted.isEmpty else { return }
        try sql.query(
            """
            SELECT \(HistoryChunk.table.columns) FROM history
            WHERE did = $1 AND fromTs >= $2 AND fromTs <= $3 AND toTs >= $3
            """,
            each: wanted.indices
        ) {
            (wanted[$0].did, wanted[$0].ts.milliseconds - Self.spanMax, wanted[$0].ts)
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

    /// Returns the number of a device's records.
    package func count(_ did: DeviceID) throws -> Int64 {
        var count = try sql.integer("SELECT CAST(sum(count) AS BIGINT) FROM history WHERE did = $1", did) ?? 0
        try buffer.forEach { other, _ in if other == did { count += 1 } }
        return count
    }

    /// Returns whether a device has a chunk that ended before a given moment, or the sums of an earlier day.
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

    /// Passes to `body` the buffered records of a device whose times are in a period, in order of arrival.
    package func buffered(_ did: DeviceID, from: Instant, to: Instant, _ body: (HistoryRecord) -> Void) throws {
        try buffer.lines(of: did, from: from, to: to) { line in
            if let record = HistoryLine.record(line, of: did) { body(record) }
        }
    }

    /// Deletes at most `limit` chunks that end before `ts`, and returns how many.
    ///
    /// Also deletes the device's daily sums for days that began before `ts`.
    package func prune(before ts: Instant, of did: DeviceID, limit: Int) throws -> Int {
        try days.prune(before: ts, of: did)
        return try sql.rowsChanged(
            """
            DELETE FROM history WHERE (did, fromTs, seq) IN (
                SELECT did, fromTs, seq FROM history
                WHERE did = $1 AND fromTs < $2 AND toTs < $2 ORDER BY fromTs LIMIT $3)
            """,
            did,
            ts,
            limit
        )
    }
}
