/// A batch that is run until it is committed, with the state that failed runs leave for the next run.
///
/// Only batches on PostgreSQL are run again (`RunAgain`).
final class CommitAttempt<Value> {
    /// The mark by which a run finds out that an earlier run was committed; nil if none is needed.
    private let mark: CommitMark<Value>?
    private var hasMissedTurn = false

    /// Makes the attempt of a batch, with or without a mark.
    init(_ mark: CommitMark<Value>?) { self.mark = mark }

    /// Whether a commit was sent, and its answer lost.
    var isCommitLost: Bool { mark?.isLost == true }

    /// Waits, before a run, for what the last run missed: its turn at the gate's file, or the server.
    func awaitMissed(_ gate: GateCredentials?, _ engine: StoreEngine) throws {
        if hasMissedTurn { try gate?.awaitTurn() }
        if isCommitLost { engine.awaitServer() }
    }

    /// Runs `body`, unless an earlier run was committed.
    func run(in tx: Transaction, noting changes: GateChanges, _ body: (Transaction) throws -> Value) throws -> Value {
        guard let mark else { return try body(tx) }
        return try mark.run(in: tx, noting: changes, body)
    }

    /// Notes that a run was committed.
    func succeed() { mark?.confirm() }

    /// Notes the error of a run.
    func fail(_ error: any Error) {
        hasMissedTurn = error is GateTurnMissed
        if StoreError.isOutcomeUnknown(error) { mark?.lose() }
    }

    /// Leaves the mark for the next batch to delete; called after the last run.
    func end() { mark?.end() }
}
