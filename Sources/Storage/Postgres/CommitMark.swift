import Sodium
import Synchronization

/// The mark that a transaction leaves, so that it takes effect once even if the answer to its commit is lost and it is
/// run again.
///
/// The mark is stored as the id of a notice. The next run claims it first, so it waits until the server has ended the
/// lost transaction, and learns whether that was committed. If so, the lost run's value and the effects of its commit
/// count. A mark whose commit was answered is no longer needed: the next transaction with a mark deletes it, and
/// maintenance deletes the rest.
final class CommitMark<Value> {
    private let id = "commit \(Sodium.randomSecret().prefix(22))"
    private let answered: AnsweredMarks
    private let earlier: [String]
    private var done: (value: Value, changes: GateChanges)?
    /// The known state of the commit.
    private var state = State.none

    private enum State {
        /// No commit was sent.
        case none
        /// A commit was sent, and not answered.
        case unanswered
        /// The commit was answered.
        case answered
    }

    /// Makes a mark, for a transaction that deletes earlier marks.
    init(_ answered: AnsweredMarks) {
        self.answered = answered
        earlier = answered.takeAll()
    }

    /// Whether a commit was sent and not answered.
    var isLost: Bool { state == .unanswered }

    /// Notes that the commit of a run was not answered.
    func lose() { state = .unanswered }

    /// Notes that the commit of a run was answered.
    func confirm() { state = .answered }

    /// Leaves the stored marks for the next transaction with a mark to delete; called when there are no more runs.
    func end() {
        if state != .none { answered.add([id]) }
        if state != .answered { answered.add(earlier) }
    }

    /// Runs `body`, unless the lost run was committed.
    func run(in tx: Transaction, noting changes: GateChanges, _ body: (Transaction) throws -> Value) throws -> Value {
        if state != .none, let done, try !tx.sessions.claim(mark: id) {
            // Without its records: the gate's file was rewritten as a whole, and has newer ones too.
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
    /// The maximum number of ids that are remembered.
    private static let countMax = 1_000

    /// Returns the ids and forgets them; the caller deletes their rows.
    func takeAll() -> [String] {
        ids.withLock { ids in
            defer { ids = [] }
            return ids
        }
    }

    /// Remembers marks to be deleted; maintenance deletes those beyond the limit.
    func add(_ more: [String]) { ids.withLock { $0 += more.prefix(max(0, Self.countMax - $0.count)) } }
}
