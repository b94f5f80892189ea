package import Domain

/// The newest part of the history: one row for each batch of reports, which belongs to the process that wrote it.
///
/// The compactor empties a process's rows in rounds. A round takes all of them up to one, moves their lines device by
/// device and then deletes the rows, in many transactions so that no writer waits long; a marker records its
/// progress, so that no reader sees a line twice and a crash repeats nothing. The rows of a process that is gone are
/// sorted by another.
package struct HistoryBuffer {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }
    /// How the facts begin that hold the marks of rounds; the owner's slot follows.
    private static let facts = "historyCompacted"
    /// Comes after every device's id.
    private static let allDevices = "~"
    private static let roundRowsMax: Int64 = 2000

    /// The amount that waits to be sorted.
    package struct Depth: Sendable {
        /// Bytes of lines.
        package var bytes: Int
        /// When the oldest batch was committed, or nil when there is none.
        package var since: Instant?
    }

    /// The progress of a round: the rows up to `seq`, the devices up to `did`.
    struct Mark: Equatable {
        var seq: Int64
        var did: String

        init(seq: Int64, did: String) {
            self.seq = seq
            self.did = did
        }

        init?(_ text: String) {
            let parts = text.split(separator: " ")
            guard parts.count == 2, let seq = Int64(parts[0]) else { return nil }
            self.init(seq: seq, did: String(parts[1]))
        }

        var text: String { "\(seq) \(did)" }

        /// Whether the lines of a device in a row were moved.
        func covers(_ did: String, in row: Int64) -> Bool { row <= seq && did <= self.did }
    }

    /// Adds the records of one batch.
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
                seq: transaction.sequence.next(transaction.now),
                owner: transaction.slot.number,
                size: lines.count,
                lines: lines
            )
        )
    }

    /// Returns the owners of rows, by their slots.
    package func owners() throws -> [NodeSlot] {
        try sql.query("SELECT DISTINCT owner FROM historyBuffer ORDER BY owner") {
            NodeSlot($0.next(Int.self))
        }.compactMap(\.self)
    }

    /// Returns the amount of an owner that waits to be sorted.
    package func depth(of owner: NodeSlot) throws -> Depth {
        try sql.first(
            """
            SELECT CAST(coalesce(sum(size), 0) AS BIGINT), min(seq) FROM historyBuffer
            WHERE owner = $1
            """,
            owner.number
        ) {
            Depth(
                bytes: $0.next(),
                since: $0.next(Int64?.self).map { Instant(milliseconds: $0 / 1000) }
            )
        } ?? Depth(bytes: 0, since: nil)
    }

    /// Hands over each line that waits, with its device.
    func forEach(_ body: (DeviceID, ArraySlice<UInt8>) -> Void) throws {
        let marks = try marks()
        try sql.scan(
            "SELECT \(HistoryBufferRow.table.columns) FROM historyBuffer ORDER BY seq"
        ) { row in
            let waiting = row.nextRow(HistoryBufferRow.self)
            let mark = marks[waiting.owner]
            HistoryLine.forEachInBuffer(waiting.lines) { did, line in
                let did = String(decoding: did, as: UTF8.self)
                if let mark, mark.covers(did, in: waiting.seq) { return }
                body(DeviceID(trusted: did), line)
            }
            return true
        }
    }

    /// Hands over each line of one device and a time that waits, in the order of arrival.
    func lines(
        of did: DeviceID,
        from: Instant,
        to: Instant,
        _ body: (ArraySlice<UInt8>) -> Void
    ) throws {
        let marks = try marks()
        let start = Array(did.text.utf8)
        let range = from.milliseconds..<max(from.milliseconds, to.milliseconds)
        try sql.scan("SELECT seq, owner, lines FROM historyBuffer ORDER BY seq") { row in
            let (seq, owner) = (row.next(Int64.self), row.next(Int.self))
            if let mark = marks[owner], mark.covers(did.text, in: seq) { return true }
            row.nextColumn().withBlob { lines in
                HistoryLine.forEach(in: lines, of: start) { line in
                    if range.contains(HistoryLine.ts(line)) { body(line) }
                }
            }
            return true
        }
    }

    // MARK: Sorting

    /// Returns the content of an owner's next round: the rows up to the last that fits into so many bytes, or those
    /// that a round before began with; nil when nothing waits.
    ///
    /// Rows of the number `end` and later are left: of this process, a transaction that is still open may add rows before
    /// them.
    func round(of owner: NodeSlot, before end: Int64, bytesMax: Int) throws -> CompactionRound? {
        let mark = try marks()[owner.number]
        var round = CompactionRound(of: owner, after: mark)
        let rows = try sql.rows(
            of: HistoryBufferRow.table,
            "WHERE owner = $1 AND seq <= $2 AND seq < $3 ORDER BY seq LIMIT $4",
            owner.number,
            mark?.seq ?? .max,
            end,
            mark == nil ? Self.roundRowsMax : .max
        )
        var bytes = 0
        for row in rows where mark != nil || bytes < bytesMax {
            bytes += row.size
            round.add(row.lines, seq: row.seq)
        }
        return round.seq == 0 ? nil : round
    }

    /// Writes chunks; with the last of a round none of its rows counts any more.
    ///
    /// Returns the round's mark.
    /// Chunks of a device that was forgotten meanwhile are dropped. `before` is the mark of the chunks before.
    /// - Throws: `LockConflict` where another process carries out the round.
    func move(
        _ chunks: ArraySlice<HistoryChunk>,
        of round: CompactionRound,
        after before: Mark?
    ) throws -> Mark {
        try transaction.lock(devices: Set(chunks.map { DeviceID(trusted: $0.did) }).sorted())
        let numbered = chunks.map { chunk in
            var chunk = chunk
            chunk.seq = transaction.sequence.next(transaction.now)
            return chunk
        }
        try transaction.requireLocks(of: numbered.map { DeviceID(trusted: $0.did) })
        try sql.run(HistoryChunk.insertOfKnownDevice, each: numbered)
        try transaction.history.days.makeStale(numbered)
        let isLast = chunks.endIndex == round.chunks.endIndex
        let mark = Mark(seq: round.seq, did: isLast ? Self.allDevices : chunks.last?.did ?? "")
        try set(mark, of: round.owner, after: before)
        // Behind the mark, which no other process can set any more.
        if before == nil { try requireRows(of: round) }
        return mark
    }

    private func set(_ mark: Mark, of owner: NodeSlot, after before: Mark?) throws {
        let name = Self.fact(of: owner)
        if let before {
            try sql.run(
                "UPDATE meta SET value = $1 WHERE name = $2 AND value = $3",
                mark.text,
                name,
                before.text
            )
        } else {
            try sql.run(
                "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
                name,
                mark.text
            )
        }
        guard try sql.changes == 1 else { throw LockConflict() }
    }

    /// Refuses a round that another process has carried out since its rows were read: rows and mark are gone then.
    ///
    /// - Throws: `LockConflict`.
    private func requireRows(of round: CompactionRound) throws {
        let last = try sql.integer(
            "SELECT seq FROM historyBuffer WHERE owner = $1 AND seq = $2",
            round.owner.number,
            round.seq
        )
        if last == nil { throw LockConflict() }
    }

    /// Deletes rows of a round whose chunks are all written, up to `seq`.
    ///
    /// They are deleted in steps: deleted content is overwritten, so all at once would delay the next commit.
    func removeCompacted(upTo seq: Int64, of round: CompactionRound) throws {
        try sql.run(
            "DELETE FROM historyBuffer WHERE owner = $1 AND seq <= $2",
            round.owner.number,
            seq
        )
        guard seq == round.seq else { return }
        try sql.run("DELETE FROM meta WHERE name = $1", Self.fact(of: round.owner))
    }

    private static func fact(of owner: NodeSlot) -> String { "\(facts).\(owner.number)" }

    /// Returns the marks of the rounds under way, by the slots of the rows' owners.
    private func marks() throws -> [Int: Mark] {
        let found = try sql.query(
            "SELECT name, value FROM meta WHERE name >= $1 AND name < $2",
            "\(Self.facts).",
            // The character behind the dot.
            "\(Self.facts)/"
        ) {
            (name: $0.next(String.self), value: $0.next(String.self))
        }
        return found.reduce(into: [:]) { marks, fact in
            guard let slot = Int(fact.name.dropFirst(Self.facts.count + 1)) else { return }
            marks[slot] = Mark(fact.value)
        }
    }
}

/// The lines of one batch of reports, and their size in bytes.
struct HistoryBufferRow: TableRow {
    var seq: Int64
    /// The slot of the process that wrote them.
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
