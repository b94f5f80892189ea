package import Domain

/// The newest part of the history: one row for each batch of reports, in the order of the commits.
///
/// The compactor empties it in rounds. A round takes all rows up to one of them, moves their lines device by
/// device and then deletes the rows, in many transactions so that no writer waits long; a marker records its
/// progress, so that no reader sees a line twice and a crash repeats nothing.
package struct HistoryBuffer {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }
    private static let fact = "historyCompacted"
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
    struct Mark {
        var seq: Int64
        var did: String
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
                size: lines.count,
                lines: lines
            )
        )
    }

    /// Returns the amount that waits to be sorted.
    package func depth() throws -> Depth {
        try sql.first("SELECT CAST(coalesce(sum(size), 0) AS BIGINT), min(seq) FROM historyBuffer")
        {
            Depth(
                bytes: $0.next(),
                since: $0.next(Int64?.self).map { Instant(milliseconds: $0 / 1000) }
            )
        } ?? Depth(bytes: 0, since: nil)
    }

    /// Hands over each line that waits, with its device.
    func forEach(_ body: (DeviceID, ArraySlice<UInt8>) -> Void) throws {
        let mark = try mark()
        try sql.scan(
            "SELECT \(HistoryBufferRow.table.columns) FROM historyBuffer ORDER BY seq"
        ) { row in
            let waiting = row.nextRow(HistoryBufferRow.self)
            let isTaken = mark.map { waiting.seq <= $0.seq } ?? false
            HistoryLine.forEachInBuffer(waiting.lines) { did, line in
                let did = String(decoding: did, as: UTF8.self)
                if isTaken, let mark, did <= mark.did { return }
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
        let mark = try mark()
        let isMoved = mark.map { did.text <= $0.did } ?? false
        let start = Array(did.text.utf8)
        let range = from.milliseconds..<max(from.milliseconds, to.milliseconds)
        try sql.scan(
            "SELECT lines FROM historyBuffer WHERE seq > $1 ORDER BY seq",
            isMoved ? mark?.seq ?? 0 : 0
        ) { row in
            row.nextColumn().withBlob { lines in
                HistoryLine.forEach(in: lines, of: start) { line in
                    if range.contains(HistoryLine.ts(line)) { body(line) }
                }
            }
            return true
        }
    }

    // MARK: Sorting

    /// Returns the content of the next round: the rows up to the last that fits into so many bytes, or those
    /// that a round before began with; nil when nothing waits.
    func round(bytesMax: Int) throws -> CompactionRound? {
        let mark = try mark()
        var round = CompactionRound(after: mark?.did ?? "")
        let rows = try sql.rows(
            of: HistoryBufferRow.table,
            "WHERE seq <= $1 ORDER BY seq LIMIT $2",
            mark?.seq ?? .max,
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
    /// Chunks of a device that was forgotten meanwhile are dropped.
    func move(_ chunks: ArraySlice<HistoryChunk>, of round: CompactionRound) throws {
        let numbered = chunks.map { chunk in
            var chunk = chunk
            chunk.seq = transaction.sequence.next(transaction.now)
            return chunk
        }
        try sql.run(HistoryChunk.insertOfKnownDevice, each: numbered)
        let isLast = chunks.endIndex == round.chunks.endIndex
        let did = isLast ? Self.allDevices : chunks.last?.did ?? ""
        try transaction.meta.set(Self.fact, to: "\(round.seq) \(did)")
    }

    /// Deletes rows of a round whose chunks are all written, up to `seq`.
    ///
    /// They are deleted in steps: deleted content is overwritten, so all at once would delay the next commit.
    func removeCompacted(upTo seq: Int64, of round: CompactionRound) throws {
        try sql.run("DELETE FROM historyBuffer WHERE seq <= $1", seq)
        if seq == round.seq { try sql.run("DELETE FROM meta WHERE name = '\(Self.fact)'") }
    }

    private func mark() throws -> Mark? {
        guard let parts = try transaction.meta.value(Self.fact)?.split(separator: " "),
            parts.count == 2, let seq = Int64(parts[0])
        else { return nil }
        return Mark(seq: seq, did: String(parts[1]))
    }
}

/// The lines of one batch of reports, and their size in bytes.
struct HistoryBufferRow: TableRow {
    var seq: Int64
    var size: Int
    var lines: [UInt8]

    static let table = Table<HistoryBufferRow>("historyBuffer")

    static func map(_ column: inout ColumnMapper<HistoryBufferRow>) -> HistoryBufferRow {
        HistoryBufferRow(
            seq: column("seq", \.seq, as: .key),
            size: column("size", \.size),
            lines: column("lines", \.lines)
        )
    }
}
