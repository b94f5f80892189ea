import Sodium
import Synchronization

/// A mark that makes a transaction take effect only once, even if it is run again because the answer to its commit was
/// lost.
///
/// The mark is stored as a notice's id. By claiming the mark, the next run waits for the end of the earlier transaction
/// and learns whether that transaction was committed. If so, the earlier transaction's value and effects are used. A
/// mark is no longer needed when the answer to its commit has arrived. The next transaction with a mark deletes the old
/// mark, and maintenance deletes any remaining marks.
final class CommitMark<Value> {
    private let id = "commit \(Sodium.randomSecret().prefix(22))"
    private let answered: AnsweredMarks
    private let earlier: [String]
    private var done: (value: Value, changes: GateChanges)?
    private var state = State.none

    private enum State {
        /// No commit was sent.
        case none
        /// A commit was sent, and no answer arrived.
        case unanswered
        /// The answer to the commit arrived.
        case answered
    }

    /// Makes a mark; its transaction also deletes earlier marks that are no longer needed.
    init(_ answered: AnsweredMarks) {
        self.answered = answered
        earlier = answered.takeAll()
    }

    /// Whether a commit was sent, and no answer arrived.
    var isLost: Bool { state == .unanswered }

    /// Notes that no answer to the commit of a run arrived.
    func lose() { state = .unanswered }

    /// Notes that the answer to the commit of a run arrived.
    func confirm() { state = .answered }

    /// Lets the next transaction with a mark delete the stored marks; called when the transaction will not be run
    /// again.
    func end() {
        if state != .none { answered.add([id]) }
        if state != .answered { answered.add(earlier) }
    }

    /// Runs `body`, unless the earlier run was committed although the answer to its commit was lost.
    func run(in tx: Transaction, noting changes: GateChanges, _ body: (Transaction) throws -> Value) throws -> Value {
        if state != .none, let done, try !tx.sessions.claim(mark: id) {
            // The earlier run's records aren't needed: the gate's file was rewritten as a whole before this run.
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

/// The marks of one process that are no longer needed, but still stored.
final class AnsweredMarks: Sendable {
    private let ids = Mutex<[String]>([])
    /// How many ids of marks are remembered, at most.
    private static let countMax = 1_000

    /// Returns the marks' ids and forgets them; the caller deletes the marks' rows.
    func takeAll() -> [String] {
        ids.withLock { ids in
            defer { ids = [] }
            return ids
        }
    }

    /// Remembers marks to be deleted; maintenance deletes marks beyond the limit.
    func add(_ more: [String]) { ids.withLock { $0 += more.prefix(max(0, Self.countMax - $0.count)) } }
}
