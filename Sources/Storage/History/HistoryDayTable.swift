package import Domain
import JSON

/// The sums of each device's past days, from which charts of long periods are drawn.
///
/// Each past day with many records has one row for each data point. One more row, with an empty name, says whether the
/// sums are valid. Sums include only records in chunks. If compaction writes new chunks for a day whose summing up has
/// already begun, the day becomes stale. Readers ignore the sums of a stale day, and the day is summed up again.
package struct HistoryDayTable: TransactionTable {
    let transaction: Transaction
    /// The name under which `meta` stores the last day for which summing up has begun.
    private static let begunFact = "historyDaysBegun"
    /// The name under which `meta` stores the last day that was summed up for all devices.
    private static let doneFact = "historyDaysDone"
    /// The name in the row that says whether a day's sums are valid; no data point has this name.
    private static let mark = ""

    // MARK: Reading

    /// Returns the sums of a device's data point for a range of days; leaves out days without valid sums.
    package func sums(of name: String, _ did: DeviceID, days: ClosedRange<Int64>) throws -> [HistoryDaySums] {
        guard let begun = try fact(Self.begunFact), let first = try firstDay(did) else { return [] }
        let (from, to) = (max(days.lowerBound, first), min(days.upperBound, begun))
        guard from <= to else { return [] }
        var found: [HistoryDaySums] = []
        try sql.query(
            """
            SELECT name, halves FROM historyDay
            WHERE did = $1 AND day = $2 AND name IN ('', $3) AND stale = 0 ORDER BY name
            """,
            each: from...to
        ) {
            (did, $0, name)
        } row: { day, row in
            let (name, text) = (row.next(String.self), row.next(String.self))
            if name == Self.mark {
                found.append(HistoryDaySums(day: day))
            } else if found.last?.day == day {
                found.removeLast()
                if let sums = HistoryDaySums(day: day, text: text) { found.append(sums) }
            }
        }
        return found
    }

    private func firstDay(_ did: DeviceID) throws -> Int64? {
        try sql.integer("SELECT min(fromTs) FROM history WHERE did = $1", did)
            .map(HistoryDay.number)
    }

    // MARK: Summing up

    /// Returns the last day that was summed up for all devices, or nil.
    package func done() throws -> Int64? { try fact(Self.doneFact) }

    /// Marks a day as being summed up, so that new records make it stale.
    package func begin(_ day: Int64) throws {
        try raise(Self.begunFact, to: day)
    }

    /// Records that all days up to and including `day` have been summed up for all devices.
    package func finish(_ day: Int64) throws {
        try raise(Self.doneFact, to: day)
    }

    /// Stores a day, unless another process has already stored a later day.
    private func raise(_ name: String, to day: Int64) throws {
        try sql.run(
            """
            INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name)
            DO UPDATE SET value = excluded.value
            WHERE CAST(meta.value AS BIGINT) < CAST(excluded.value AS BIGINT)
            """,
            name,
            "\(day)"
        )
    }

    private func fact(_ name: String) throws -> Int64? { try transaction.meta.value(name).flatMap { Int64($0) } }

    /// Returns the devices in `dids` that have many records on a given day but no sums for it.
    package func missing(_ dids: [DeviceID], day: Int64) throws -> [DeviceID] {
        let time = HistoryDay.time(of: day)
        var found: [DeviceID] = []
        try sql.query(
            """
            SELECT CAST(sum(count) AS BIGINT) FROM history
            WHERE did = $1 AND fromTs >= $2 AND fromTs < $3
                AND NOT EXISTS (SELECT 1 FROM historyDay WHERE did = $1 AND day = $4 AND name = '')
            """,
            each: dids
        ) {
            ($0, time.lowerBound, time.upperBound, day)
        } row: { did, row in
            if row.next(Int64?.self) ?? 0 >= HistoryDay.recordsMin { found.append(did) }
        }
        return found
    }

    /// Returns at most `limit` days whose sums lack records that were added later.
    package func stale(limit: Int) throws -> [(did: DeviceID, day: Int64)] {
        try sql.query("SELECT did, day FROM historyDay WHERE stale = 1 ORDER BY day, did LIMIT $1", limit) {
            (DeviceID(trusted: $0.next(String.self)), $0.next(Int64.self))
        }
    }

    /// Computes the sums of one day of a device from the device's chunks.
    package func sumUp(_ did: DeviceID, day: Int64) throws -> HistoryDayDraft {
        let time = HistoryDay.time(of: day)
        var draft = HistoryDayDraft(did: did, day: day)
        try transaction.history.chunks(of: did, from: time.lowerBound, to: time.upperBound) { chunk in
            draft.add(chunk, time)
            return true
        }
        return draft
    }

    /// Stores a day's sums, or returns false if its chunks have changed since the sums were computed.
    package func save(_ draft: HistoryDayDraft) throws -> Bool {
        let did = draft.did
        try transaction.requireLock(of: did)
        let time = HistoryDay.time(of: draft.day)
        let count = try sql.integer(
            """
            SELECT CAST(coalesce(sum(count), 0) AS BIGINT) FROM history
            WHERE did = $1 AND fromTs >= $2 AND fromTs < $3 AND toTs >= $4
            """,
            did,
            time.lowerBound - HistoryTable.spanMax,
            time.upperBound,
            time.lowerBound
        )
        guard count == draft.read else { return false }
        try remove(did, draft.day)
        guard draft.count >= HistoryDay.recordsMin else { return true }
        let rows = draft.sums.sorted { $0.key < $1.key }.map { name, sums in
            HistoryDayRow(did: did.text, day: draft.day, name: name, halves: sums.text)
        }
        try sql.run(
            HistoryDayRow.insertOfKnownDevice,
            each: [HistoryDayRow(did: did.text, day: draft.day, name: Self.mark)] + rows
        )
        return true
    }

    /// Marks the days of new chunks as stale if summing up these days has begun.
    func makeStale(_ chunks: [HistoryChunk]) throws {
        guard let begun = try fact(Self.begunFact) else { return }
        var late: [HistoryDayRow] = []
        for chunk in chunks where HistoryDay.number(of: chunk.from) <= begun {
            let last = min(begun, HistoryDay.number(of: chunk.to))
            for day in HistoryDay.number(of: chunk.from)...last
            where late.last?.did != chunk.did || late.last?.day != day {
                late.append(HistoryDayRow(did: chunk.did, day: day, name: Self.mark, stale: 1))
            }
        }
        for row in late {
            try remove(DeviceID(trusted: row.did), row.day)
            try sql.run(HistoryDayRow.insertOfKnownDevice, row)
        }
    }

    private func remove(_ did: DeviceID, _ day: Int64) throws {
        try sql.run("DELETE FROM historyDay WHERE did = $1 AND day = $2", did, day)
    }

    // MARK: Pruning

    /// Removes a device's sums for days that began before `ts`.
    func prune(before ts: Instant, of did: DeviceID) throws {
        let day = HistoryDay.number(of: ts.milliseconds - 1)
        try sql.run("DELETE FROM historyDay WHERE did = $1 AND day <= $2", did, day)
    }
}

/// The sums of one day of a device, before they are stored.
package struct HistoryDayDraft: Sendable {
    /// The device.
    package let did: DeviceID
    /// The number of the day.
    package let day: Int64
    /// The number of all records in the chunks that were read.
    private(set) var read: Int64 = 0
    /// The number of records in these chunks that are from the day itself.
    private(set) var count: Int64 = 0
    private(set) var sums: [String: HistoryDaySums] = [:]

    init(did: DeviceID, day: Int64) { (self.did, self.day) = (did, day) }

    mutating func add(_ chunk: HistoryChunk, _ time: Range<Int64>) {
        read += chunk.count
        HistoryLine.forEach(in: chunk.lines) { line in
            guard time.contains(HistoryLine.ts(line)), let record = HistoryLine.record(line, of: did) else { return }
            count += 1
            for member in record.data?.members ?? [] where member.value != .null {
                sums[member.key, default: HistoryDaySums(day: day)]
                    .add(member.value, at: record.ts.milliseconds)
            }
        }
    }
}

/// The sums of a data point, or the row that says whether a day's sums are valid.
struct HistoryDayRow: TableRow {
    var did: String
    /// The number of days since 1970.
    var day: Int64
    /// The data point's name, or empty in the row that says whether the sums are valid.
    var name: String
    /// The sums as JSON (`HistoryDaySums`).
    var halves = "[]"
    /// 1 if the day must be summed up again.
    var stale: Int64 = 0

    static let table = Table<HistoryDayRow>("historyDay")
    /// The statement that inserts a row if the device still exists.
    static let insertOfKnownDevice = table.inserting(where: "EXISTS (SELECT 1 FROM device WHERE did = $1)")

    static func map(_ column: inout ColumnMapper<HistoryDayRow>) -> HistoryDayRow {
        HistoryDayRow(
            did: column("did", \.did, as: .key),
            day: column("day", \.day, as: .key),
            name: column("name", \.name, as: .key),
            halves: column("halves", \.halves),
            stale: column("stale", \.stale)
        )
    }
}
