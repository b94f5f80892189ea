package import Domain

/// The newest part of the history, to which a process adds one row for each batch of reports.
///
/// A round of compaction moves lines from a process's rows into chunks, device by device. The round then deletes these
/// rows. A round uses many transactions, so that no writer waits long. The round's first transaction claims the round
/// and stores the list of its rows. A mark records the round's progress. With the mark, no reader sees a line twice.
/// After a crash, no line is moved again. Two processes may compact an ended process's rows at the same time. For
/// example, one of them can be a new process that got the ended process's slot. After the first transaction, a
/// transaction therefore moves lines only if the stored mark is the last mark that its own process stored or read. Each
/// transaction changes only the listed rows.
package struct HistoryBuffer: TransactionTable {
    let transaction: Transaction
    /// The prefix of the name under which `meta` stores a round's mark.
    private static let facts = "historyCompacted"
    /// The prefix of the name under which `meta` stores the list of a round's rows.
    private static let rowFacts = "historyCompactedRows"
    /// A string that sorts after the id of every device.
    private static let allDevices = "~"
    private static let roundRowsMax: Int64 = 2000

    /// The size and the age of the lines that have not been compacted.
    package struct Depth: Sendable {
        /// The size of the lines, in bytes.
        package var bytes: Int
        /// When the oldest batch was written, or nil if there are no batches.
        package var since: Instant?
    }

    /// The progress of a round that ends with the row `seq`.
    ///
    /// The lines of all devices up to `did` have been moved.
    struct Mark: Equatable {
        var seq: Int64
        var did: String

        init(seq: Int64, did: String) {
            (self.seq, self.did) = (seq, did)
        }

        init?(_ text: String) {
            let parts = text.split(separator: " ")
            guard parts.count == 2, let seq = Int64(parts[0]) else { return nil }
            self.init(seq: seq, did: String(parts[1]))
        }

        var text: String { "\(seq) \(did)" }
    }

    /// A round that has begun: its progress, and its rows.
    private struct Claim {
        var mark: Mark
        var rows: Set<Int64> = []

        /// Returns whether the round has already moved a device's lines out of a row.
        func covers(_ did: String, in row: Int64) -> Bool { did <= mark.did && rows.contains(row) }
    }

    /// Adds the records of one batch of reports.
    func append(_ records: [HistoryRecord]) throws {
        guard !records.isEmpty else { return }
        var lines: [UInt8] = []
        lines.reserveCapacity(records.count * 128)
        for record in records {
            lines.append(contentsOf: record.did.text.utf8)
            HistoryLine.append(record, to: &lines)
        }
        try sql.run(
            HistoryBufferRow.table.insert,
            HistoryBufferRow(
                seq: transaction.sequence.next(now),
                owner: transaction.slot.number,
                size: lines.count,
                lines: lines
            )
        )
    }

    /// Returns the slots of the processes that own rows.
    package func owners() throws -> [NodeSlot] {
        try sql.query("SELECT DISTINCT owner FROM historyBuffer ORDER BY owner") { NodeSlot($0.next(Int.self)) }
            .compactMap(\.self)
    }

    /// Returns the size and the age of an owner's lines that have not been compacted.
    package func depth(of owner: NodeSlot) throws -> Depth {
        try sql.first(
            "SELECT CAST(coalesce(sum(size), 0) AS BIGINT), min(seq) FROM historyBuffer WHERE owner = $1",
            owner.number
        ) { Depth(bytes: $0.next(), since: $0.next(Int64?.self).map { Instant(milliseconds: $0 / 1000) }) }
            ?? Depth(bytes: 0, since: nil)
    }

    /// Passes each uncompacted line and the line's device to `body`.
    ///
    /// If `times` is given, only the lines with one of these times are passed.
    func forEach(at times: Set<Int64>? = nil, _ body: (DeviceID, ArraySlice<UInt8>) -> Void) throws {
        let claims = try claims()
        try sql.scan("SELECT seq, owner, lines FROM historyBuffer ORDER BY seq") { row in
            let (seq, owner) = (row.next(Int64.self), row.next(Int.self))
            let claim = claims[owner]
            row.nextColumn().withBlob { lines in
                HistoryLine.forEachInBuffer(lines) { did, line in
                    // The time is checked first, since it excludes nearly all lines.
                    if let times, !times.contains(HistoryLine.ts(line)) { return }
                    let did = String(decoding: did, as: UTF8.self)
                    if let claim, claim.covers(did, in: seq) { return }
                    body(DeviceID(trusted: did), ArraySlice(line))
                }
            }
            return true
        }
    }

    /// Passes to `body` a device's uncompacted lines of a period, in arrival order.
    func lines(of did: DeviceID, from: Instant, to: Instant, _ body: (ArraySlice<UInt8>) -> Void) throws {
        let claims = try claims()
        let start = Array(did.text.utf8)
        let range = from.milliseconds..<max(from.milliseconds, to.milliseconds)
        try sql.scan("SELECT seq, owner, lines FROM historyBuffer ORDER BY seq") { row in
            let (seq, owner) = (row.next(Int64.self), row.next(Int.self))
            if let claim = claims[owner], claim.covers(did.text, in: seq) { return true }
            row.nextColumn().withBlob { lines in
                HistoryLine.forEach(in: lines, of: start) { line in
                    if range.contains(HistoryLine.ts(line)) { body(line) }
                }
            }
            return true
        }
    }

    // MARK: Sorting

    /// Returns an owner's unfinished round, or a new round of the owner's first rows; nil if there are no rows.
    ///
    /// A new round leaves out the rows whose numbers are `end` or larger. Open transactions of this process can still
    /// add rows with such numbers.
    func round(of owner: NodeSlot, before end: Int64, bytesMax: Int) throws -> CompactionRound? {
        let claim = try claims()[owner.number]
        var round = CompactionRound(of: owner, after: claim?.mark)
        let rows = try sql.rows(
            of: HistoryBufferRow.table,
            "WHERE owner = $1 AND seq <= $2 AND seq < $3 ORDER BY seq LIMIT $4",
            owner.number,
            claim?.mark.seq ?? .max,
            claim == nil ? end : .max,
            claim == nil ? Self.roundRowsMax : .max
        )
        var bytes = 0
        for row in rows where claim?.rows.contains(row.seq) ?? (bytes < bytesMax) {
            bytes += row.size
            round.add(row.lines, seq: row.seq)
        }
        return round.seq == 0 ? nil : round
    }

    /// Writes chunks of a round and returns its new mark, or throws `RoundTaken`.
    ///
    /// Once the last chunk is written, readers ignore the round's rows. The first transaction, for which `before` is
    /// nil, claims the round. Later transactions continue from the mark `before`. If a device has been deleted
    /// meanwhile, its chunks are dropped.
    func move(_ chunks: ArraySlice<HistoryChunk>, of round: CompactionRound, after before: Mark?) throws -> Mark {
        try transaction.lock(devices: Set(chunks.map { DeviceID(trusted: $0.did) }).sorted())
        let numbered = chunks.map { chunk in
            var chunk = chunk
            chunk.seq = transaction.sequence.next(now)
            return chunk
        }
        try transaction.requireLocks(of: numbered.map { DeviceID(trusted: $0.did) })
        try sql.run(HistoryChunk.insertOfKnownDevice, each: numbered)
        try transaction.history.days.makeStale(numbered)
        let isLast = chunks.endIndex == round.chunks.endIndex
        let mark = Mark(seq: round.seq, did: isLast ? Self.allDevices : chunks.last?.did ?? "")
        if let before { try goOn(to: mark, of: round, after: before) } else { try claim(round, mark) }
        return mark
    }

    private func goOn(to mark: Mark, of round: CompactionRound, after before: Mark) throws {
        try sql.run(
            "UPDATE meta SET value = $1 WHERE name = $2 AND value = $3",
            mark.text,
            Self.fact(of: round.owner),
            before.text
        )
        guard try sql.changes == 1 else { throw RoundTaken() }
    }

    /// Claims a round for this process by storing the round's first mark and list of rows.
    ///
    /// - Throws: `RoundTaken` if another process has begun a round of the same owner's rows, or has already moved and
    ///   deleted some of this round's rows.
    private func claim(_ round: CompactionRound, _ mark: Mark) throws {
        try sql.run(
            "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
            Self.fact(of: round.owner),
            mark.text
        )
        guard try sql.changes == 1 else { throw RoundTaken() }
        let waiting = try sql.query(
            "SELECT seq FROM historyBuffer WHERE owner = $1 AND seq <= $2",
            round.owner.number,
            round.seq
        ) { $0.next(Int64.self) }
        let rows = round.steps.joined()
        guard Set(waiting).isSuperset(of: rows) else { throw RoundTaken() }
        try transaction.meta.set(Self.rowFact(of: round.owner), to: rows.map(String.init).joined(separator: " "))
    }

    /// Deletes some rows of a round after the round's chunks have been written.
    ///
    /// If the round's last row is among them, the round's mark is deleted too. Rows are deleted in steps, because
    /// SQLite overwrites deleted content. Overwriting all rows at once would delay the next commit.
    func removeCompacted(_ rows: [Int64], of round: CompactionRound, after mark: Mark?) throws {
        try sql.run("DELETE FROM historyBuffer WHERE seq = $1", each: rows) { $0 }
        guard rows.last == round.seq, let mark else { return }
        try sql.run("DELETE FROM meta WHERE name = $1 AND value = $2", Self.fact(of: round.owner), mark.text)
        guard try sql.changes == 1 else { return }
        try sql.run("DELETE FROM meta WHERE name = $1", Self.rowFact(of: round.owner))
    }

    private static func rowFact(of owner: NodeSlot) -> String { "\(rowFacts).\(owner.number)" }
    private static func fact(of owner: NodeSlot) -> String { "\(facts).\(owner.number)" }

    /// Returns the rounds that have begun, by the slot number of the process that owns their rows.
    private func claims() throws -> [Int: Claim] {
        // Sorting by name puts each mark before its list of rows.
        let found = try sql.query(
            "SELECT name, value FROM meta WHERE name >= $1 AND name < $2 ORDER BY name",
            "\(Self.facts).",
            "\(Self.facts)~"
        ) { (name: $0.next(String.self).split(separator: "."), value: $0.next(String.self)) }
        return found.reduce(into: [:]) { claims, fact in
            guard fact.name.count == 2, let slot = Int(fact.name[1]) else { return }
            if fact.name[0] == Self.facts {
                claims[slot] = Mark(fact.value).map { Claim(mark: $0) }
            } else {
                claims[slot]?.rows = Set(fact.value.split(separator: " ").compactMap { Int64($0) })
            }
        }
    }
}

/// The error thrown when another process has worked on the round's rows.
package struct RoundTaken: Error {}

/// The lines of one batch of reports, and their size in bytes.
struct HistoryBufferRow: TableRow {
    var seq: Int64
    /// The slot of the process that wrote the lines.
    var owner: Int
    var size: Int
    var lines: [UInt8]

    static let table = Table<HistoryBufferRow>("historyBuffer")

    static func map(_ column: inout ColumnMapper<HistoryBufferRow>) -> HistoryBufferRow {
        HistoryBufferRow(
            seq: column("seq", \.seq, as: .key),
            owner: column("owner", \.owner),
            size: column("size", \.size),
            lines: column("lines", \.lines)
        )
    }
}
