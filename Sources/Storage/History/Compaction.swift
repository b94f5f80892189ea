package import Domain

/// A round of compaction under way, which moves records from the history buffer into the devices' chunks.
///
/// Each call is too short to delay a worker. If a round stops because of an error, a crash or another process that
/// carries out the same round (`RoundTaken`), the next round continues it: nothing is half moved.
package struct Compaction {
    private var round: CompactionRound
    /// The approximate number of chunks that one transaction writes.
    private let step: Int
    private var isSorted = false
    private var moves: ArraySlice<Range<Int>> = []
    private var removals: ArraySlice<[Int64]> = []
    private var mark: HistoryBuffer.Mark?

    init(_ round: CompactionRound, step: Int) {
        self.round = round
        self.step = step
        mark = round.mark
    }

    /// Sorts a little further, outside any transaction; returns false when all is sorted.
    package mutating func sort() -> Bool {
        guard !isSorted else { return false }
        guard !round.prepare(step) else { return true }
        isSorted = true
        moves = round.runs(of: step)[...]
        removals = round.steps[...]
        return false
    }

    /// Runs the next transaction of the sorted round; returns whether another follows.
    package mutating func move(in store: Store, at now: Instant) throws -> Bool {
        let round = round
        if let run = moves.first {
            var mark = mark
            try store.writeWithoutSync(at: now) { tx in
                mark = try tx.history.buffer.move(round.chunks[run], of: round, after: mark)
            }
            self.mark = mark
            moves.removeFirst()
        } else if let rows = removals.first {
            try store.writeWithoutSync(at: now) { [mark] tx in
                try tx.history.buffer.removeCompacted(rows, of: round, after: mark)
            }
            removals.removeFirst()
        }
        return !moves.isEmpty || !removals.isEmpty
    }
}

extension Store {
    /// Returns the owners whose parts of the history buffer this process sorts: itself, and processes that are gone.
    ///
    /// A process is gone once its slot has no row, or is no longer kept for it; its transactions ended long before.
    package func ownersToCompact() throws -> [NodeSlot] {
        let owners = try read { try $0.history.buffer.owners() }.filter { $0 != slot }
        guard isShared, !owners.isEmpty else { return [slot] + owners }
        let alive = try coordinate { try $0.nodes.kept() }
        return [slot] + owners.filter { !alive.contains($0) }
    }

    /// Begins a round of about `bytesMax` bytes of an owner's part of the history buffer, or returns nil if nothing
    /// waits.
    ///
    /// The owner is this process, or one that is gone. A transaction writes about `step` chunks.
    package func beginCompaction(
        of owner: NodeSlot,
        bytesMax: Int,
        step: Int
    ) throws -> Compaction? {
        // Before the rows are read: all smaller numbers are committed, or never will be.
        let end = owner == slot ? sequence.settled : .max
        return try read {
            try $0.history.buffer.round(of: owner, before: end, bytesMax: bytesMax)
        }.map { Compaction($0, step: step) }
    }

    /// Runs a round of compaction of this process's part at once, or at most `transactions` of its transactions.
    package func compactHistory(
        bytesMax: Int,
        step: Int,
        transactions: Int = .max,
        at now: Instant
    ) throws {
        guard var compaction = try beginCompaction(of: slot, bytesMax: bytesMax, step: step)
        else { return }
        while compaction.sort() {}
        var left = transactions
        while left > 0, try compaction.move(in: self, at: now) { left -= 1 }
    }
}
