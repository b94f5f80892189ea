import Sodium
import Synchronization

/// A mark that lets a transaction take effect only once, even if the answer to its commit is lost.
///
/// The mark is stored as the id of a row in the table `notice`. If the answer is lost, the transaction runs again, and
/// the new run claims the mark. This claim waits until the earlier run has ended, and tells whether that run was
/// committed. If it was committed, the value and the effects of the earlier run are used. A mark is no longer needed
/// once the answer to the commit has arrived. The next transaction with a mark deletes the old mark, and maintenance
/// deletes any remaining marks.
final class CommitMark<Value> {
    private let id = "commit \(Sodium.randomSecret().prefix(22))"
    private let answered: AnsweredMarks
    private let earlier: [String]
    private var done: (value: Value, changes: GateChanges)?
    private var state = State.none

    private enum State {
        /// No commit has been sent.
        case none
        /// A commit was sent, and no answer has arrived.
        case unanswered
        /// The answer to the commit has arrived.
        case answered
    }

    /// Makes a mark, whose transaction also deletes earlier marks that are no longer needed.
    init(_ answered: AnsweredMarks) {
        self.answered = answered
        earlier = answered.takeAll()
    }

    /// Whether a commit was sent, and no answer has arrived.
    var isLost: Bool { state == .unanswered }

    /// Records that a run of the transaction got no answer to its commit.
    func lose() { state = .unanswered }

    /// Records that the commit's answer has arrived.
    func confirm() { state = .answered }

    /// Lets a later transaction delete this mark and earlier ones; called after this transaction's last run.
    func end() {
        if state != .none { answered.add([id]) }
        if state != .answered { answered.add(earlier) }
    }

    /// Runs `body`, or returns an earlier run's value if the earlier run's transaction was committed.
    func run(in tx: Transaction, noting changes: GateChanges, _ body: (Transaction) throws -> Value) throws -> Value {
        if state != .none, let done, try !tx.sessions.claim(mark: id) {
            // The earlier run's records for the gate's file aren't needed, because the whole file was rewritten before
            // this run.
            changes.takeEffects(of: done.changes)
            return done.value
        }
        let value = try body(tx)
        if state == .none { try tx.sessions.leave(mark: id) }
        try tx.sessions.forget(marks: earlier)
        done = (value, changes)
        return value
    }
}

/// The marks of one process that are no longer needed, but are still stored.
final class AnsweredMarks: Sendable {
    private let ids = Mutex<[String]>([])
    /// The maximum number of ids of marks that are remembered.
    private static let countMax = 1_000

    /// Returns and forgets the ids of marks, whose rows the caller deletes.
    func takeAll() -> [String] {
        ids.withLock { ids in
            defer { ids = [] }
            return ids
        }
    }

    /// Remembers marks to delete, up to `countMax`, and leaves the others to maintenance.
    func add(_ more: [String]) { ids.withLock { $0 += more.prefix(max(0, Self.countMax - $0.count)) } }
}
