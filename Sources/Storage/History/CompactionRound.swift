import Domain

/// The lines that one round of compaction moves, sorted by device and time.
struct CompactionRound: Sendable {
    /// The slot of the process that wrote the round's rows in the history buffer.
    let owner: NodeSlot
    /// The mark of an unfinished round, or nil for a new round.
    let mark: HistoryBuffer.Mark?
    /// The number of the last buffer row that belongs to the round.
    private(set) var seq: Int64 = 0
    /// The id of the last device whose lines have been moved, or an empty string in a new round.
    private let after: String
    private typealias Line = (ts: Int64, line: ArraySlice<UInt8>)
    private var linesOf: [String: [[Line]]] = [:]
    /// The chunks to write, which `prepare` creates in the order of their devices.
    ///
    /// A device's chunks are adjacent, and must be written in one transaction.
    private(set) var chunks: [HistoryChunk] = []

    /// For each step that deletes rows, the numbers of the buffer rows to delete, in ascending order.
    private(set) var steps: [[Int64]] = []
    private var stepBytes = 0

    private static let chunkBytesMax = 65_536
    private static let stepBytesMax = 65_536

    private var rows: [[UInt8]] = []
    private var devices: [String]?

    init(of owner: NodeSlot, after mark: HistoryBuffer.Mark?) {
        (self.owner, self.mark) = (owner, mark)
        after = mark?.did ?? ""
    }

    mutating func add(_ lines: [UInt8], seq: Int64) {
        if steps.isEmpty || stepBytes + lines.count > Self.stepBytesMax {
            steps.append([])
            stepBytes = 0
        }
        steps[steps.count - 1].append(seq)
        stepBytes += lines.count
        self.seq = seq
        rows.append(lines)
    }

    /// Does the next part of the round's preparation, and returns false after the last part.
    ///
    /// Each call sorts the lines of one buffer row by device. Once this is done for all rows, each call creates the
    /// chunks of the next `count` devices.
    mutating func prepare(_ count: Int) -> Bool {
        if let lines = rows.popLast() {
            divide(lines)
            return true
        }
        var left = devices ?? linesOf.keys.sorted(by: >)
        for _ in 0..<count {
            guard let did = left.popLast() else { return false }
            // `divide` began with the last row, so the parts are put back into the rows' order here.
            let lines = (linesOf.removeValue(forKey: did) ?? []).reversed().flatMap { $0 }
            cut(Self.ascending(lines), of: did)
        }
        devices = left
        return true
    }

    private mutating func divide(_ row: [UInt8]) {
        var lines: [String: [Line]] = [:]
        row.withUnsafeBufferPointer {
            HistoryLine.forEachInBuffer($0) { did, line in
                let did = String(decoding: did, as: UTF8.self)
                guard did > after else { return }
                lines[did, default: []].append((HistoryLine.ts(line), row[line.indices]))
            }
        }
        for (did, lines) in lines { linesOf[did, default: []].append(lines) }
    }

    private static func ascending(_ lines: [Line]) -> [Line] {
        guard zip(lines, lines.dropFirst()).contains(where: { $0.ts > $1.ts }) else { return lines }
        // Lines with the same time stay in the order in which they arrived.
        return lines.indices.sorted { (lines[$0].ts, $0) < (lines[$1].ts, $1) }.map { lines[$0] }
    }

    private mutating func cut(_ lines: [Line], of did: String) {
        var chunk: HistoryChunk?
        for (ts, line) in lines {
            if let open = chunk,
                ts - open.from >= HistoryTable.spanMax || open.lines.count + line.count > Self.chunkBytesMax
            {
                chunks.append(open)
                chunk = nil
            }
            var next = chunk ?? HistoryChunk(did: did, from: ts, to: ts)
            chunk = nil
            next.to = ts
            next.count += 1
            next.lines.append(contentsOf: line)
            chunk = next
        }
        if let chunk { chunks.append(chunk) }
    }

    /// Divides the chunks into ranges of about `count` chunks, one range for each transaction.
    ///
    /// All chunks of a device are in the same range.
    func runs(of count: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        while start < chunks.count {
            var end = min(start + count, chunks.count)
            while end < chunks.count, chunks[end].did == chunks[end - 1].did { end += 1 }
            runs.append(start..<end)
            start = end
        }
        // A round without chunks also needs a transaction, since its rows must still be deleted.
        return runs.isEmpty ? [0..<0] : runs
    }
}
