import Credentials
import Dispatch
import Synchronization

/// The changes of one transaction to the gate's credentials, and the other effects of its commit.
final class GateChanges {
    var records: [Record] = []
    /// What counts the transaction, once it is committed.
    var afterCommit: [() -> Void] = []
    /// Whether a message was left for the delivery service.
    var hasOutgoingMessage = false
    /// The largest number of a connection that was saved.
    private(set) var connection: Int64 = 0
    /// Whether it has its turn at the gate's file.
    fileprivate(set) var hasTurn = false

    func note(connection number: Int64) {
        connection = max(connection, number)
    }

    /// Takes over what a transaction does after its commit, but for the records.
    func takeEffects(of other: GateChanges) {
        afterCommit = other.afterCommit
        hasOutgoingMessage = other.hasOutgoingMessage
    }
}

/// The gate's file, kept in step with the store.
///
/// Transactions that change it take turns, from before their commit until the file has their changes: in the order of
/// their commits.
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

        mutating func note(_ records: [Record]) {
            for case .connections(let known) in records { connection = known }
        }
    }

    private let path: String
    private let state = Mutex(State())
    private let turn = DispatchSemaphore(value: 1)
    /// The age of what the file lacks, apart from the state: that is locked while the file is written.
    private let lag = GateLag()

    init(path: String) {
        self.path = path
    }

    /// Whether the file lacks something that was committed, as far as this process knows.
    ///
    /// A tool opens the file without rewriting it: the service did that at its start.
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

    /// Returns the record that tells the gate of a connection's number, where the file's own is too far behind.
    ///
    /// A broker starts far enough ahead of the file's number that it never reuses an earlier one: the file gets
    /// a record once in a broker's run, and again after each half of that lead.
    func record(of connection: Int64) -> Record? {
        guard connection > 0 else { return nil }
        return state.withLock { state in
            connection > state.connection &+ Record.connectionsLead / 2
                ? .connections(known: connection) : nil
        }
    }

    /// Makes other threads and processes wait with their changes, and promises these (`CredentialsLock`).
    ///
    /// Called before a commit, so that the file gets the changes of all in the order of their commits. Where it is called
    /// within a transaction that a server ends when it is idle, it waits for `longest` milliseconds.
    /// - Throws: `GateTurnMissed`, where nothing was committed yet; or `CredentialsError`.
    func hold(_ changes: GateChanges, longest: Int64? = nil) throws {
        let begun = DispatchTime.now()
        let end = longest.map { begun + .milliseconds(Int($0)) } ?? .distantFuture
        guard turn.wait(timeout: end) == .success else { throw GateTurnMissed() }
        changes.hasTurn = true
        let waited = DispatchTime.now().uptimeNanoseconds - begun.uptimeNanoseconds
        // Not under the state, which every batch looks at.
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

    /// Waits for the turn as long as it takes, and lets the others go on: who was silent for long has it no more then.
    func awaitTurn() throws {
        let changes = GateChanges()
        defer { release(changes, withdrawing: true) }
        do { try hold(changes) } catch is GateTurnMissed {
            // The next batch rewrites the file.
        }
    }

    /// Lets the others write again, if these changes made them wait; `withdrawing` where they were not committed.
    func release(_ changes: GateChanges, withdrawing: Bool = false) {
        guard changes.hasTurn else { return }
        changes.hasTurn = false
        state.withLock { $0.file?.release(withdrawing: withdrawing) }
        turn.signal()
    }

    /// Notes that the file may lack a change that was perhaps committed.
    func fallBehind() {
        lag.begin()
        state.withLock { $0.isBehind = true }
    }

    /// Finds what a process has left out that was killed, or frozen, between its commit and the file.
    ///
    /// Who takes over its lanes calls this before it publishes the answers that rest on it.
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

    /// How long the file has lacked something that this process committed; zero while it has all.
    var lagTime: Duration { lag.time }

    /// Why the file is rewritten.
    enum Reason {
        /// The service begins.
        case start
        /// It may lack something.
        case behind
        /// Most of it is obsolete.
        case bloated
    }

    /// Rewrites the file from the records that `read` returns, unless another thread did so while this one waited; other
    /// threads and processes wait meanwhile.
    ///
    /// `read` is told whether something that was promised may be undecided yet. It calls the function that it is given now
    /// and then, so that others see that this process goes on.
    func rewrite(
        since reason: Reason,
        _ read: (_ isOwed: Bool, _ keep: () throws -> Void) throws -> [Record]
    ) throws {
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
        // Not under the state, which every batch looks at.
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

/// Another writer had the turn at the gate's file, or left out what it had committed: nothing of this transaction was
/// committed, and it may be run again.
struct GateTurnMissed: Error, CustomStringConvertible {
    var description: String { "the gate's file is in use by another writer" }
}

extension Transaction {
    /// The changes of credentials that a gate on another machine must be told of before the answers that rest on them,
    /// each a record as hexadecimal digits; none where this process writes the gate's file itself.
    package var untoldCredentials: [String] {
        get throws { hasGateFile ? [] : try gate.records.map { try $0.hex() } }
    }
}
