import Credentials
import Dispatch
import Synchronization

/// The effects of one transaction's commit, including its changes to the gate's credentials.
final class GateChanges {
    var records: [Record] = []
    /// The actions to run after the commit, such as counting in metrics or writing log lines.
    var afterCommit: [() -> Void] = []
    /// Whether the transaction stored an outgoing message, or moved a stored message's due time to now.
    var hasOutgoingMessage = false
    /// The largest connection number that the transaction saved.
    private(set) var connection: Int64 = 0
    /// Whether it is the transaction's turn to write the gate's file.
    fileprivate(set) var hasTurn = false

    func note(connection number: Int64) {
        connection = max(connection, number)
    }

    /// Copies the effects of another transaction's commit, but not that transaction's records.
    func takeEffects(of other: GateChanges) {
        afterCommit = other.afterCommit
        hasOutgoingMessage = other.hasOutgoingMessage
    }
}

/// The gate's credentials file, into which the store writes changed credentials.
///
/// Transactions that change the file take turns. A turn lasts from before the commit until the file has the changes.
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
    /// How long the file has lacked changes; this value can be read even while a write to the file locks `state`.
    private let lag = GateLag()

    init(path: String) {
        self.path = path
    }

    /// Whether the file lacks committed changes, as far as this process knows.
    ///
    /// The service rewrites the file at its start. A `lamplighter` command opens the existing file without rewriting
    /// it.
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

    /// Returns a record that stores a connection's number in the file, or nil if the file doesn't need the number yet.
    ///
    /// After a start, the broker numbers its connections from the current time, or if it is larger, from the file's
    /// number plus a fixed distance (`Record.connectionsLead`). The file needs a new number when a connection's number
    /// has passed the middle of this distance. The broker therefore never uses a number twice.
    func record(of connection: Int64) -> Record? {
        guard connection > 0 else { return nil }
        return state.withLock { state in
            connection > state.connection &+ Record.connectionsLead / 2 ? .connections(known: connection) : nil
        }
    }

    /// Locks the file against other writers, and promises to write the changes (`CredentialsLock`).
    ///
    /// The method is called before a commit. So the file gets all changes in the order of their commits. `longest`
    /// limits the wait, in milliseconds. The database server ends transactions that stay idle for too long.
    ///
    /// - Throws: `GateTurnMissed` or `CredentialsError`. In both cases, the transaction must not be committed.
    func hold(_ changes: GateChanges, longest: Int64? = nil) throws {
        let begun = DispatchTime.now()
        let end = longest.map { begun + .milliseconds(Int($0)) } ?? .distantFuture
        guard turn.wait(timeout: end) == .success else { throw GateTurnMissed() }
        changes.hasTurn = true
        let waited = DispatchTime.now().uptimeNanoseconds - begun.uptimeNanoseconds
        // This step can take a long time. Every batch reads `state`, so `state` isn't locked meanwhile.
        let taken = try promise(longest: longest.map { max(0, $0 - Int64(waited / 1_000_000)) })
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

    /// Waits for the turn without a time limit, and then gives the turn up at once.
    func awaitTurn() throws {
        let changes = GateChanges()
        defer { release(changes, withdrawing: true) }
        do { try hold(changes) } catch is GateTurnMissed {
            // An earlier writer stopped before it wrote the file. The next batch rewrites the file.
        }
    }

    /// Ends any turn that `hold` took (`withdrawing` says that nothing was committed).
    func release(_ changes: GateChanges, withdrawing: Bool = false) {
        guard changes.hasTurn else { return }
        changes.hasTurn = false
        state.withLock { $0.file?.release(withdrawing: withdrawing) }
        turn.signal()
    }

    /// Records that the file may lack a committed change.
    func fallBehind() {
        lag.begin()
        state.withLock { $0.isBehind = true }
    }

    /// Detects committed changes that a killed or frozen process didn't write to the file.
    ///
    /// A process that takes over lanes calls this method before it publishes answers. The answers can depend on such
    /// changes.
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

    /// How long the file has lacked a committed change, as far as this process knows; zero while the file is complete.
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

    /// Rewrites the file from the records that `read` returns, unless `reason` no longer holds.
    ///
    /// Other writers wait until the file is rewritten. `isOwed` says whether a transaction that promised changes may
    /// still be in progress. `read` calls `keep` now and then, so that other processes see that this process is alive.
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
        // This step can take a long time. Every batch reads `state`, so `state` isn't locked meanwhile.
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

/// The error thrown when another writer has the turn to write the gate's file, or ended its turn without writing.
///
/// The failed transaction changed nothing, and can be run again.
struct GateTurnMissed: Error, CustomStringConvertible {
    var description: String { "the gate's file is in use by another writer" }
}

extension Transaction {
    /// The changed records, in hexadecimal, that a remote gate needs before answers are sent.
    ///
    /// The list is empty if this process writes the gate's file itself.
    package var untoldCredentials: [String] { get throws { hasGateFile ? [] : try gate.records.map { try $0.hex() } } }
}
