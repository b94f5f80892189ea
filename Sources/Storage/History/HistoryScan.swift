package import Domain

extension HistoryTable {
    /// Passes a device's records to `body`, each with the position that follows the record, until `body` returns false.
    ///
    /// Only records with times before `to` are passed, in the order of their times. Records with equal times are passed
    /// in the order of arrival. Each record is read once, even while compaction moves it to a chunk. Only the chunks
    /// that are needed are read.
    ///
    /// - Returns: The number of records read.
    package func scan(
        _ did: DeviceID,
        from place: HistoryPlace,
        to: Instant,
        _ body: (HistoryRecord, HistoryPlace) throws -> Bool
    ) throws -> Int {
        var merge = HistoryMerge(did, from: place, to: to)
        try buffer.lines(of: did, from: place.ts, to: to) { merge.addBuffered($0) }
        merge.sortBuffered()
        try chunks(of: did, from: place.ts.milliseconds, to: to.milliseconds) { chunk in
            guard try merge.handOver(before: chunk.from, body) else { return false }
            merge.add(chunk.lines, seq: chunk.seq)
            return true
        }
        _ = try merge.handOver(before: .max, body)
        return merge.visited
    }

    /// Passes to `body`, in order, a device's chunks that may contain lines from a period, until `body` returns false.
    func chunks(of did: DeviceID, from: Int64, to: Int64, _ body: (HistoryChunk) throws -> Bool) throws {
        try sql.scan(
            """
            SELECT \(HistoryChunk.table.columns) FROM history
            WHERE did = $1 AND fromTs >= $2 AND fromTs < $3 AND toTs >= $4 ORDER BY fromTs, seq
            """,
            did,
            from - Self.spanMax,
            to,
            from
        ) { try body($0.nextRow()) }
    }
}

/// A merge of the lines from a device's chunks with the device's lines from the buffer, in the order of their times.
private struct HistoryMerge {
    private struct Line {
        var ts: Int64
        var seq: Int64
        var bytes: ArraySlice<UInt8>
    }

    private let did: DeviceID
    private let from: Int64
    private let to: Int64
    private var skip: Int
    /// The chunks' sorted lines, where `head` is the index of the next unhandled line.
    private var chunks: [Line] = []
    private var head = 0
    private var buffer: [Line] = []
    private var bufferHead = 0
    private var place: HistoryPlace
    private var isOver = false
    private(set) var visited = 0

    init(_ did: DeviceID, from place: HistoryPlace, to: Instant) {
        self.did = did
        self.place = HistoryPlace(place.ts)
        from = place.ts.milliseconds
        self.to = to.milliseconds
        skip = place.skip
    }

    mutating func addBuffered(_ line: ArraySlice<UInt8>) {
        buffer.append(Line(ts: HistoryLine.ts(line), seq: Int64(buffer.count), bytes: line))
    }

    mutating func sortBuffered() {
        buffer.sort { ($0.ts, $0.seq) < ($1.ts, $1.seq) }
        visited += buffer.count
    }

    mutating func add(_ lines: [UInt8], seq: Int64) {
        chunks.removeFirst(head)
        head = 0
        let count = chunks.count
        HistoryLine.forEach(in: lines) { line in
            visited += 1
            let ts = HistoryLine.ts(line)
            if ts >= from, ts < to { chunks.append(Line(ts: ts, seq: seq, bytes: line)) }
        }
        guard count > 0, chunks.count > count else { return }
        let (last, first) = (chunks[count - 1], chunks[count])
        guard (last.ts, last.seq) > (first.ts, first.seq) else { return }
        // Lines of one chunk with equal times keep their order, since the index is compared last.
        chunks = chunks.indices
            .sorted { (chunks[$0].ts, chunks[$0].seq, $0) < (chunks[$1].ts, chunks[$1].seq, $1) }
            .map { chunks[$0] }
    }

    /// Passes the records before a given moment to `body`; stops and returns false as soon as `body` returns false.
    mutating func handOver(before bound: Int64, _ body: (HistoryRecord, HistoryPlace) throws -> Bool) throws -> Bool {
        while !isOver, let line = next(before: bound) {
            if line.ts == place.ts.milliseconds {
                place.skip += 1
            } else {
                place = HistoryPlace(Instant(milliseconds: line.ts), skip: 1)
            }
            if line.ts == from, skip > 0 {
                skip -= 1
                continue
            }
            guard let record = HistoryLine.record(line.bytes, of: did) else { continue }
            if try !body(record, place) { isOver = true }
        }
        return !isOver
    }

    private mutating func next(before bound: Int64) -> Line? {
        let chunk = head < chunks.count ? chunks[head] : nil
        let waiting = bufferHead < buffer.count ? buffer[bufferHead] : nil
        // If lines have the same time, the chunk's lines come first. The chunk's lines arrived before the buffer's
        // lines.
        if let chunk, chunk.ts < bound, waiting.map({ chunk.ts <= $0.ts }) ?? true {
            head += 1
            return chunk
        }
        guard let waiting, waiting.ts < bound, chunk.map({ waiting.ts < $0.ts }) ?? true else { return nil }
        bufferHead += 1
        return waiting
    }
}
