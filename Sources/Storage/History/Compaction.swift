package import Domain

/// A round of compaction, which moves records from the history buffer into devices' chunks.
///
/// Each call is short, so that no worker is delayed. A round can stop because of an error or a crash. It also stops if
/// another process has worked on the same round (`RoundTaken`). The next round then continues, and no record is lost or
/// moved twice.
package struct Compaction {
    private var round: CompactionRound
    /// The approximate number of chunks that one transaction writes.
    private let step: Int
    private var isSorted = false
    private var moves: ArraySlice<Range<Int>> = []
    private var removals: ArraySlice<[Int64]> = []
    private var mark: HistoryBuffer.Mark?

    init(_ round: CompactionRound, step: Int) {
        (self.round, self.step) = (round, step)
        mark = round.mark
    }

    /// Sorts more records outside any transaction, or returns false when all are sorted.
    package mutating func sort() -> Bool {
        guard !isSorted else { return false }
        guard !round.prepare(step) else { return true }
        isSorted = true
        moves = round.runs(of: step)[...]
        removals = round.steps[...]
        return false
    }

    /// Runs the next transaction of a sorted round, and returns whether another transaction follows.
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
    /// Returns the slot of this process, and the slots of ended processes that still own rows of the buffer.
    ///
    /// This process compacts the rows of all these slots. A process counts as ended if `NodeTable` no longer keeps its
    /// slot. All transactions of the process are then over.
    package func ownersToCompact() throws -> [NodeSlot] {
        let owners = try read { try $0.history.buffer.owners() }.filter { $0 != slot }
        guard isShared, !owners.isEmpty else { return [slot] + owners }
        let alive = try coordinate { try $0.nodes.kept() }
        return [slot] + owners.filter { !alive.contains($0) }
    }

    /// Begins a round for about `bytesMax` bytes of an owner's rows, or returns nil if there are no rows.
    ///
    /// The owner is this process or a process that has ended. Each transaction writes about `step` chunks.
    package func beginCompaction(of owner: NodeSlot, bytesMax: Int, step: Int) throws -> Compaction? {
        // `end` is determined before the rows are read. Every row below `end` is committed by now or never will be.
        let end = owner == slot ? sequence.settled : .max
        return try read {
            try $0.history.buffer.round(of: owner, before: end, bytesMax: bytesMax)
        }.map { Compaction($0, step: step) }
    }

    /// Compacts this process's part of the history buffer, in one round of at most `transactions` transactions.
    package func compactHistory(bytesMax: Int, step: Int, transactions: Int = .max, at now: Instant) throws {
        guard var compaction = try beginCompaction(of: slot, bytesMax: bytesMax, step: step)
        else { return }
        while compaction.sort() {}
        var left = transactions
        while left > 0, try compaction.move(in: self, at: now) { left -= 1 }
    }
}
