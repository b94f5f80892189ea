package import Domain

/// A round of compaction under way: moves records from the history buffer into the devices' chunks.
///
/// Each call is so short that no worker notices. Where a round stops, for an error or a crash, the next round goes
/// on: nothing is half moved.
package struct Compaction {
    private var round: CompactionRound
    /// The chunks that one transaction writes, about.
    private let step: Int
    private var isSorted = false
    private var moves: ArraySlice<Range<Int>> = []
    private var removals: ArraySlice<Int64> = []

    init(_ round: CompactionRound, step: Int) {
        self.round = round
        self.step = step
    }

    /// Sorts a little further, outside any transaction; false when all is sorted.
    package mutating func sort() -> Bool {
        guard !isSorted else { return false }
        guard !round.prepare(step) else { return true }
        isSorted = true
        moves = round.runs(of: step)[...]
        removals = round.steps[...]
        return false
    }

    /// Runs one transaction of what was sorted; returns whether another follows.
    package mutating func move(in store: Store, at now: Instant) throws -> Bool {
        let round = round
        if let run = moves.first {
            try store.writeWithoutSync(at: now) { tx in
                try tx.history.buffer.move(round.chunks[run], of: round)
            }
            moves.removeFirst()
        } else if let seq = removals.first {
            try store.writeWithoutSync(at: now) { tx in
                try tx.history.buffer.removeCompacted(upTo: seq, of: round)
            }
            removals.removeFirst()
        }
        return !moves.isEmpty || !removals.isEmpty
    }
}

extension Store {
    /// Begins a round of about so many bytes of the history buffer, of which one transaction writes about `step`
    /// chunks; nil where nothing waits.
    package func beginCompaction(bytesMax: Int, step: Int) throws -> Compaction? {
        try read { try $0.history.buffer.round(bytesMax: bytesMax) }
            .map { Compaction($0, step: step) }
    }

    /// Runs a round of compaction at once, or so many transactions of it.
    package func compactHistory(
        bytesMax: Int,
        step: Int,
        transactions: Int = .max,
        at now: Instant
    ) throws {
        guard var compaction = try beginCompaction(bytesMax: bytesMax, step: step) else { return }
        while compaction.sort() {}
        var left = transactions
        while left > 0, try compaction.move(in: self, at: now) { left -= 1 }
    }
}
