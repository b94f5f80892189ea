import Sodium

/// The mark that a transaction leaves, so that it takes effect once though the answer to its commit is lost and it is run
/// again.
///
/// It is an id among the notices. The run behind the lost one claims it first: so it waits until the server has ended the
/// lost one, and learns whether that was committed. If it was, its value and what follows its commit count.
final class CommitMark<Value> {
    private let id = "commit \(Sodium.randomSecret().prefix(22))"
    private var done: (value: Value, changes: GateChanges)?
    /// Whether a run's commit was not answered.
    var isLost = false

    /// Runs `body`, unless the run that was lost was committed.
    func run(
        in tx: Transaction,
        noting changes: GateChanges,
        _ body: (Transaction) throws -> Value
    ) throws -> Value {
        if isLost, let done, try !tx.sessions.claim(mark: id) {
            // The gate's file is written anew: records of others may have come behind those of the lost run.
            changes.takeEffects(of: done.changes)
            return done.value
        }
        let value = try body(tx)
        if !isLost { try tx.sessions.leave(mark: id) }
        done = (value, changes)
        return value
    }
}
