package import Domain

extension Store {
    /// Moves what waits in the history's tail into the devices' pieces: one round, of so many bytes at
    /// most, in transactions so short that no worker notices.
    ///
    /// Where it stops, for `rest` says so, for an error or a crash, the next call goes on.
    /// - Parameters:
    ///   - bytesMax: Bytes of the tail that the round takes, about.
    ///   - step: Pieces that one transaction writes, about.
    ///   - transactions: How many at most.
    ///   - now: The moment of each transaction.
    ///   - rest: Called between two pieces of work, outside any transaction; false stops.
    /// - Throws: What the store says; nothing is half moved then.
    package func sortHistory(
        bytesMax: Int,
        step: Int,
        transactions: Int = .max,
        at now: () -> Instant,
        rest: () -> Bool = { true }
    ) throws {
        guard var unprepared = try read({ try $0.history.tail.round(bytesMax: bytesMax) }) else {
            return
        }
        while unprepared.prepare(step) {
            guard rest() else { return }
        }
        let round = unprepared
        let moves = round.runs(of: step).map { run in
            { (tx: Transaction) throws in try tx.history.tail.move(round.pieces[run], of: round) }
        }
        let strikes = round.steps.map { seq in
            { (tx: Transaction) throws in try tx.history.tail.strike(upTo: seq, of: round) }
        }
        for work in (moves + strikes).prefix(transactions) {
            try rearrange(at: now(), work)
            guard rest() else { return }
        }
    }
}
