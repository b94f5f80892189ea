import Credentials
import Dispatch
import Synchronization

/// The changes of one transaction to the gate's credentials, and the other effects of its commit.
final class GateChanges {
    var records: [Record] = []
    /// The actions to run after the commit, such as counting in metrics or writing log lines.
    var afterCommit: [() -> Void] = []
    /// Whether a message was left for the message sender.
    var hasOutgoingMessage = false
    /// The largest number of a saved connection.
    private(set) var connection: Int64 = 0
    /// Whether it has its turn at the gate's file.
    fileprivate(set) var hasTurn = false

    func note(connection number: Int64) {
        connection = max(connection, number)
    }

    /// Takes over the effects of another transaction's commit, except the records.
    func takeEffects(of other: GateChanges) {
        afterCommit = other.afterCommit
        hasOutgoingMessage = other.hasOutgoingMessage
    }
}

/// The gate's file, kept in step with the store.
///
/// Transactions that change it take turns in the order of their commits. A turn begins before the commit and ends when
/// the file has the changes.
final class GateCredentials: Sendable {
    private struct State: ~Copyable {
        var file: CredentialsFile?
        var isBehind = true
        /// The largest connection number in the file.
        var connection: Int64 = 0

        var isBloated: Bool {
            mutating get {
                guard let total = file?.totalCount, let live = file?.liveCount else { return false }
                return total > 2 * live + 10_000
            }
        }

        mutating func note(_ records: [Record]) { for case .connections(let known) in records { connection = known } }
    }

    private let path: String
    private let state = Mutex(State())
    private let turn = DispatchSemaphore(value: 1)
    /// How long the file has been behind; outside the state, which is locked while the file is written.
    private let lag = GateLag()

    init(path: String) {
        self.path = path
    }

    /// Whether the file lacks committed changes, as far as this process knows.
    ///
    /// A tool opens the file without rewriting it, which the service did at its start.
    var isBehind: Bool {
        state.withLock { state in
            guard state.isBehind, state.file == nil else { return state.isBehind }
            state.file = try? CredentialsFile(path: path)
            state.isBehind = state.file?.isDamaged ?? true
            return state.isBehind
        }
    }

    /// Whether most of the file is obsolete.
    var isBloated: Bool { state.withLock { $0.isBloated } }

    /// Returns the record that gives the gate a connection's number, if the file's number is too far behind; otherwise
    /// nil.
    ///
    /// A broker starts far enough ahead of the file's number that it never reuses an earlier one. The file therefore
    /// gets a record once in a broker's run, and again after each half of that lead.
    func record(of connection: Int64) -> Record? {
        guard connection > 0 else { return nil }
        return state.withLock { state in
            connection > state.connection &+ Record.connectionsLead / 2 ? .connections(known: connection) : nil
        }
    }

    /// Makes other threads and processes wait with their changes, and promises `changes` (`CredentialsLock`).
    ///
    /// Called before a commit, so that the file gets all changes in the order of their commits. In a transaction that a
    /// database server would end as idle, it waits for `longest` milliseconds at most.
    ///
    /// - Throws: `GateTurnMissed`, with nothing committed, or `CredentialsError`.
    func hold(_ changes: GateChanges, longest: Int64? = nil) throws {
        let begun = DispatchTime.now()
        let end = longest.map { begun + .milliseconds(Int($0)) } ?? .distantFuture
        guard turn.wait(timeout: end) == .success else { throw GateTurnMissed() }
        changes.hasTurn = true
        let waited = DispatchTime.now().uptimeNanoseconds - begun.uptimeNanoseconds
        // Without holding the state, which every batch reads.
        let taken = try promise(
            longest: longest.map { max(0, $0 - Int64(waited / 1_000_000)) }
        )
        let isOwed = taken.isOwed
        var lock: CredentialsLock? = consume taken
        state.withLock { state in
            if let lock = lock.take() { state.file?.hold(lock) }
        }
        guard isOwed else { return }
        fallBehind()
        throw GateTurnMissed()
    }

    private func promise(longest: Int64?) throws -> CredentialsLock {
        do {
            let lock = try CredentialsLock.take(of: path, longest: longest)
            try lock.promise()
            return lock
        } catch CredentialsError.busy {
            throw GateTurnMissed()
        }
    }

    /// Waits for the turn without a limit, and gives it up at once; a process that was silent for long has lost its
    /// turn by then.
    func awaitTurn() throws {
        let changes = GateChanges()
        defer { release(changes, withdrawing: true) }
        do { try hold(changes) } catch is GateTurnMissed {
            // The next batch rewrites the file.
        }
    }

    /// Ends the turn of these changes, if they have it; `withdrawing` if they weren't committed.
    func release(_ changes: GateChanges, withdrawing: Bool = false) {
        guard changes.hasTurn else { return }
        changes.hasTurn = false
        state.withLock { $0.file?.release(withdrawing: withdrawing) }
        turn.signal()
    }

    /// Notes that the file may lack a change that was possibly committed.
    func fallBehind() {
        lag.begin()
        state.withLock { $0.isBehind = true }
    }

    /// Detects committed changes that the file lacks because a process was killed or frozen before it wrote them.
    ///
    /// The process that takes over its lanes calls this before it publishes answers that depend on these changes.
    func inherit() throws {
        guard try !isBehind && CredentialsLock.isPromised(of: path) else { return }
        turn.wait()
        defer { turn.signal() }
        let lock = try CredentialsLock.take(of: path)
        if lock.isOwed { fallBehind() }
    }

    func append(_ records: [Record]) throws {
        lag.begin()
        try state.withLock { state in
            state.isBehind = true
            try state.file?.append(records)
            state.isBehind = false
            state.note(records)
        }
        lag.end()
    }

    /// How long the file has lacked something that this process committed; zero while it is complete.
    var lagTime: Duration { lag.time }

    /// A reason to rewrite the file.
    enum Reason {
        /// The service starts.
        case start
        /// The file may lack changes.
        case behind
        /// Most of the file is obsolete.
        case bloated
    }

    /// Rewrites the file from the records that `read` returns, unless another thread did so while this one waited;
    /// other threads and processes wait meanwhile.
    ///
    /// `isOwed` says whether a promised change may still be undecided. `read` calls `keep` now and then, so that others
    /// see that this process is alive.
    func rewrite(since reason: Reason, _ read: (_ isOwed: Bool, _ keep: () throws -> Void) throws -> [Record]) throws {
        turn.wait()
        defer { turn.signal() }
        let isNeeded = state.withLock { state in
            switch reason {
            case .start: true
            case .behind: state.isBehind
            case .bloated: state.isBloated
            }
        }
        guard isNeeded else { return }
        if state.withLock({ $0.file == nil }) {
            var file: CredentialsFile? = try CredentialsFile(path: path)
            state.withLock { $0.file = file.take() }
        }
        let taken = try CredentialsLock.take(of: path)
        var isOwed = taken.isOwed || reason == .start
        var lock: CredentialsLock? = consume taken
        state.withLock { state in
            isOwed = isOwed || state.isBehind
            state.isBehind = isOwed
            if let lock = lock.take() { state.file?.hold(lock) }
        }
        defer { state.withLock { $0.file?.release() } }
        // Without holding the state, which every batch reads.
        let records = try read(isOwed) { try state.withLock { try $0.file?.keep() } }
        try state.withLock { state in
            state.isBehind = true
            try state.file?.rewrite(records)
            state.isBehind = false
            state.note(records)
        }
        lag.end()
    }
}

/// The error that another writer had the turn at the gate's file, or left out changes that it had committed.
///
/// Nothing of this transaction was committed, and it can be run again.
struct GateTurnMissed: Error, CustomStringConvertible {
    var description: String { "the gate's file is in use by another writer" }
}

extension Transaction {
    /// The credential changes that a gate on another machine needs before the answers that depend on them, as records
    /// in hexadecimal digits.
    ///
    /// Empty if this process writes the gate's file itself.
    package var untoldCredentials: [String] { get throws { hasGateFile ? [] : try gate.records.map { try $0.hex() } } }
}
