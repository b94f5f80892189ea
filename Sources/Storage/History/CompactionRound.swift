import Domain

/// The lines that the compactor moves in one round, by device and time.
struct CompactionRound: Sendable {
    /// Whose rows of the buffer the round takes.
    let owner: NodeSlot
    /// The mark that an earlier part of the round left, of a process that ended; nil for a new round.
    let mark: HistoryBuffer.Mark?
    /// The last row of the buffer that the round takes.
    private(set) var seq: Int64 = 0
    /// Devices up to this one were moved before.
    private let after: String
    private typealias Line = (ts: Int64, line: ArraySlice<UInt8>)
    private var linesOf: [String: [[Line]]] = [:]
    /// The chunks to write, in the order of the devices; `prepare` makes them.
    ///
    /// A device's chunks stand side by side, and may not be parted over transactions.
    private(set) var chunks: [HistoryChunk] = []

    /// The rows of the buffer that the round takes, ascending, as each step strikes them out.
    private(set) var steps: [[Int64]] = []
    private var stepBytes = 0

    private static let chunkBytesMax = 65_536
    private static let stepBytesMax = 65_536

    private var rows: [[UInt8]] = []
    private var devices: [String]?

    init(of owner: NodeSlot, after mark: HistoryBuffer.Mark?) {
        self.owner = owner
        self.mark = mark
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

    /// Sorts a little further, to be called outside any transaction: one row of the buffer, or so many
    /// devices; false when all is done.
    mutating func prepare(_ count: Int) -> Bool {
        if let lines = rows.popLast() {
            divide(lines)
            return true
        }
        var left = devices ?? linesOf.keys.sorted(by: >)
        for _ in 0..<count {
            guard let did = left.popLast() else { return false }
            // The rows were taken from the last to the first.
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
        guard zip(lines, lines.dropFirst()).contains(where: { $0.ts > $1.ts }) else {
            return lines
        }
        // What came first at the same moment stays first.
        return lines.indices.sorted { (lines[$0].ts, $0) < (lines[$1].ts, $1) }.map { lines[$0] }
    }

    private mutating func cut(_ lines: [Line], of did: String) {
        var chunk: HistoryChunk?
        for (ts, line) in lines {
            if let open = chunk,
                ts - open.from >= HistoryTable.spanMax
                    || open.lines.count + line.count > Self.chunkBytesMax
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

    /// Returns the places of the chunks, cut so that each run has about so many and no device is parted.
    func runs(of count: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        while start < chunks.count {
            var end = min(start + count, chunks.count)
            while end < chunks.count, chunks[end].did == chunks[end - 1].did { end += 1 }
            runs.append(start..<end)
            start = end
        }
        // A round of forgotten lines still has to be struck out.
        return runs.isEmpty ? [0..<0] : runs
    }
}
