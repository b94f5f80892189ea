/// The state of a batch between its runs; after some errors, a batch is run again (`RunAgain`).
final class CommitAttempt<Value> {
    /// The mark that shows whether an earlier run was committed; nil if the batch needs no mark.
    private let mark: CommitMark<Value>?
    private var hasMissedTurn = false

    /// Creates the state of a batch, with or without a mark.
    init(_ mark: CommitMark<Value>?) { self.mark = mark }

    /// Whether a commit was sent and its answer was lost.
    var isCommitLost: Bool { mark?.isLost == true }

    /// Waits until the cause of the last run's failure is gone.
    ///
    /// If the last run missed its turn to write the gate's file, waits for the turn. If the answer to the last commit
    /// was lost, waits for the database server.
    func awaitMissed(_ gate: GateCredentials?, _ engine: StoreEngine) throws {
        if hasMissedTurn { try gate?.awaitTurn() }
        if isCommitLost { engine.awaitServer() }
    }

    /// Runs `body`, unless an earlier run was committed.
    func run(in tx: Transaction, noting changes: GateChanges, _ body: (Transaction) throws -> Value) throws -> Value {
        guard let mark else { return try body(tx) }
        return try mark.run(in: tx, noting: changes, body)
    }

    /// Records that a run was committed.
    func succeed() { mark?.confirm() }

    /// Records the error with which a run failed.
    func fail(_ error: any Error) {
        hasMissedTurn = error is GateTurnMissed
        if StoreError.isOutcomeUnknown(error) { mark?.lose() }
    }

    /// Lets the next batch delete the mark; called after the last run.
    func end() { mark?.end() }
}
