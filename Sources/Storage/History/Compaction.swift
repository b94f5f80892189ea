package import Domain

/// A round of compaction under way: moves records from the history buffer into the devices' chunks.
///
/// Each call is so short that no worker notices. Where a round stops, for an error or a crash, the next round goes
/// on: nothing is half moved. So it does where another process carries out the same (`RoundTaken`).
package struct Compaction {
    private var round: CompactionRound
    /// The chunks that one transaction writes, about.
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
    /// Returns whose parts of the history buffer this process sorts: its own, and of a database that several share those
    /// of processes that are gone.
    ///
    /// A slot's process is gone once its row is, or once its time has been over for as long as the slot is kept for it: its
    /// transactions ended long before.
    package func ownersToCompact() throws -> [NodeSlot] {
        let owners = try read { try $0.history.buffer.owners() }.filter { $0 != slot }
        guard isShared, !owners.isEmpty else { return [slot] + owners }
        let alive = try coordinate { try $0.nodes.kept() }
        return [slot] + owners.filter { !alive.contains($0) }
    }

    /// Begins a round of about so many bytes of an owner's part of the history buffer, of which one transaction writes
    /// about `step` chunks; nil where nothing waits.
    ///
    /// The owner is this process, or one that is gone.
    package func beginCompaction(
        of owner: NodeSlot,
        bytesMax: Int,
        step: Int
    ) throws -> Compaction? {
        // Before the rows are read: whatever has a smaller number is committed, or never will be.
        let end = owner == slot ? sequence.settled : .max
        return try read {
            try $0.history.buffer.round(of: owner, before: end, bytesMax: bytesMax)
        }.map { Compaction($0, step: step) }
    }

    /// Runs a round of compaction of this process's part at once, or so many transactions of it.
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
