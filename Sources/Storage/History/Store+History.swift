package import Domain

extension Store {
    /// Moves what waits in the history buffer into the devices' chunks: one round, of so many bytes at
    /// most, in transactions so short that no worker notices.
    ///
    /// Where it stops, for `rest` says so, for an error or a crash, the next call goes on.
    /// - Parameters:
    ///   - bytesMax: Bytes of the buffer that the round takes, about.
    ///   - step: Chunks that one transaction writes, about.
    ///   - transactions: How many at most.
    ///   - now: The moment of each transaction.
    ///   - rest: Called between two pieces of work, outside any transaction; false stops.
    /// - Throws: What the store says; nothing is half moved then.
    package func compactHistory(
        bytesMax: Int,
        step: Int,
        transactions: Int = .max,
        at now: () -> Instant,
        rest: () -> Bool = { true }
    ) throws {
        guard var unprepared = try read({ try $0.history.buffer.round(bytesMax: bytesMax) }) else {
            return
        }
        while unprepared.prepare(step) {
            guard rest() else { return }
        }
        let round = unprepared
        let moves = round.runs(of: step).map { run in
            { (tx: Transaction) throws in try tx.history.buffer.move(round.chunks[run], of: round) }
        }
        let removals = round.steps.map { seq in
            { (tx: Transaction) throws in
                try tx.history.buffer.removeCompacted(upTo: seq, of: round)
            }
        }
        for work in (moves + removals).prefix(transactions) {
            try writeWithoutSync(at: now(), work)
            guard rest() else { return }
        }
    }
}
