import Sodium
import Synchronization

/// The mark that a transaction leaves, so that it takes effect once though the answer to its commit is lost and it is run
/// again.
///
/// It is an id among the notices. The run behind the lost one claims it first: so it waits until the server has ended the
/// lost one, and learns whether that was committed. If it was, its value and what follows its commit count. A mark whose
/// commit was answered says nothing more: the next transaction with one takes it away, and maintenance what is left.
final class CommitMark<Value> {
    private let id = "commit \(Sodium.randomSecret().prefix(22))"
    private let answered: AnsweredMarks
    private let earlier: [String]
    private var done: (value: Value, changes: GateChanges)?
    /// What is known of the commit.
    private var state = State.none

    private enum State {
        /// None was sent.
        case none
        /// One was sent, and not answered.
        case unanswered
        /// It was carried out.
        case answered
    }

    /// Makes a mark, for a transaction that takes earlier ones away.
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

    /// Leaves what is stored to the next transaction with a mark; called when there are no more runs.
    func end() {
        if state != .none { answered.add([id]) }
        if state != .answered { answered.add(earlier) }
    }

    /// Runs `body`, unless the run that was lost was committed.
    func run(
        in tx: Transaction,
        noting changes: GateChanges,
        _ body: (Transaction) throws -> Value
    ) throws -> Value {
        if state != .none, let done, try !tx.sessions.claim(mark: id) {
            // Not its records: the gate's file was rewritten whole, and has newer ones too.
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

/// The marks of one process that are no longer needed, and still stored.
final class AnsweredMarks: Sendable {
    private let ids = Mutex<[String]>([])
    /// How many are remembered at most.
    private static let countMax = 1_000

    /// Returns the ids and forgets them; the caller deletes their rows.
    func takeAll() -> [String] {
        ids.withLock { ids in
            defer { ids = [] }
            return ids
        }
    }

    /// Remembers marks that are to be deleted; those that are too many maintenance deletes.
    func add(_ more: [String]) {
        ids.withLock { $0 += more.prefix(max(0, Self.countMax - $0.count)) }
    }
}
