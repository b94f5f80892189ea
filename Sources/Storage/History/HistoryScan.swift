package import Domain

extension HistoryTable {
    /// Hands over a device's records from a place on, by time, those of one moment in the order of their
    /// arrival, each with the place behind it; until `body` says that it is enough, or `to`.
    ///
    /// Reads the pieces that reach the time and what of the device lies in the tail, once, whatever the sorter
    /// has moved; it reads no more pieces than needed.
    /// - Returns: How many records were looked at.
    package func scan(
        _ did: DeviceID,
        from place: HistoryPlace,
        to: Instant,
        _ body: (HistoryRecord, HistoryPlace) throws -> Bool
    ) throws -> Int {
        var merge = HistoryMerge(did, from: place, to: to)
        try tail.lines(of: did, from: place.ts, to: to) { merge.addTail($0) }
        merge.sortTail()
        try sql.scan(
            """
            SELECT fromTs, seq, lines FROM history
            WHERE did = $1 AND fromTs >= $2 AND fromTs < $3 AND toTs >= $4 ORDER BY fromTs, seq
            """
        ) {
            $0.add(did.text)
            $0.add(place.ts.milliseconds - Self.spanMax)
            $0.add(to.milliseconds)
            $0.add(place.ts.milliseconds)
        } row: { row in
            guard try merge.handOver(before: row.integer(0), body) else { return false }
            merge.add(row.bytes(2), seq: row.integer(1))
            return true
        }
        _ = try merge.handOver(before: .max, body)
        return merge.visited
    }
}

/// Puts pieces and tail of one device into one order, reading no further than needed.
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
    /// Lines of pieces, and those of the tail, each in order, from its head on.
    private var pieces: [Line] = []
    private var head = 0
    private var tail: [Line] = []
    private var tailHead = 0
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

    mutating func addTail(_ line: ArraySlice<UInt8>) {
        tail.append(Line(ts: HistoryLine.ts(line), seq: Int64(tail.count), bytes: line))
    }

    mutating func sortTail() {
        tail.sort { ($0.ts, $0.seq) < ($1.ts, $1.seq) }
        visited += tail.count
    }

    mutating func add(_ lines: [UInt8], seq: Int64) {
        pieces.removeFirst(head)
        head = 0
        let count = pieces.count
        HistoryLine.forEach(in: lines) { line in
            visited += 1
            let ts = HistoryLine.ts(line)
            if ts >= from, ts < to { pieces.append(Line(ts: ts, seq: seq, bytes: line)) }
        }
        guard count > 0, pieces.count > count else { return }
        let (last, first) = (pieces[count - 1], pieces[count])
        guard (last.ts, last.seq) > (first.ts, first.seq) else { return }
        // Stable: lines of one piece and moment stay as they are.
        pieces = pieces.indices
            .sorted { (pieces[$0].ts, pieces[$0].seq, $0) < (pieces[$1].ts, pieces[$1].seq, $1) }
            .map { pieces[$0] }
    }

    /// Hands over what lies before a moment; false when that was enough.
    mutating func handOver(
        before bound: Int64,
        _ body: (HistoryRecord, HistoryPlace) throws -> Bool
    ) throws -> Bool {
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
        let piece = head < pieces.count ? pieces[head] : nil
        let waiting = tailHead < tail.count ? tail[tailHead] : nil
        // At one moment the pieces come first: what they hold has arrived before.
        if let piece, piece.ts < bound, waiting.map({ piece.ts <= $0.ts }) ?? true {
            head += 1
            return piece
        }
        guard let waiting, waiting.ts < bound, piece.map({ waiting.ts < $0.ts }) ?? true else {
            return nil
        }
        tailHead += 1
        return waiting
    }
}
