package import Domain
package import Sodium
import Synchronization

/// The database with all of the service's data.
///
/// Other code accesses the database only through this class. A batch is one transaction. If the store is a file, the
/// batches of all workers run one after another. Readers see the last committed state, and don't wait for writers.
/// After a batch has been committed, its changes of credentials are appended to the gate's file. Until then, no other
/// batch with such changes can commit, and no answer that depends on the changes is published. The code for stores that
/// are files is in `SQLiteFile`.
package final class Store: Sendable {
    let engine: StoreEngine
    let key: ServerKey
    private let gate: GateCredentials?
    let sequence: SequenceSource
    private let messageWakeup: MessageWakeup
    private let writerCache = WriterCache()
    private let runAgain: RunAgain
    private let answeredMarks: AnsweredMarks
    /// The lease that each batch checks first, or nil if this process works alone.
    let fence: Fence?

    /// A holder of a function that is called after a commit if there is a message to send.
    private final class MessageWakeup: Sendable {
        let ring = Mutex<(@Sendable () -> Void)?>(nil)
    }

    /// Opens the file, migrates it if `migrates` is true, and checks its settings.
    ///
    /// `credentialsPath` is the path of the gate's file, or nil if this process doesn't write that file.
    /// `beforeMigrating` is called before an older version's database is changed. To prevent the change,
    /// `beforeMigrating` can throw an error. If `isBeingFilled` is true, the database is accepted even if
    /// `migrate --to` has begun to fill it and has not finished.
    ///
    /// - Throws: `Failure`, or an error of `beforeMigrating`.
    package convenience init(
        path: String,
        credentialsPath: String?,
        key: ServerKey,
        migrates: Bool = true,
        isBeingFilled: Bool = false,
        beforeMigrating: (Store) throws -> Void = { _ in }
    ) throws {
        try self.init(
            path: path,
            credentialsPath: credentialsPath,
            key: key,
            migrates: migrates,
            steps: Migrations.steps,
            beforeMigrating: beforeMigrating
        )
        try refuseHalfMoved(unless: isBeingFilled)
        if migrates { try numberEventsBehind() }
    }

    /// Whether `migrate --to` has begun to fill the database, and has not finished.
    var isHalfMoved: Bool { get throws { try engine.isHalfMoved } }

    /// Throws `Failure.halfMoved` if `migrate --to` has begun to fill the database and has not finished.
    func refuseHalfMoved(unless isBeingFilled: Bool) throws {
        guard !isBeingFilled, try isHalfMoved else { return }
        throw Failure.halfMoved(path: isFile ? path : summary)
    }

    /// Opens the file with the given migration steps instead of the steps of this version.
    convenience init(
        path: String,
        credentialsPath: String?,
        key: ServerKey,
        migrates: Bool = true,
        steps: [Migrations.Step],
        beforeMigrating: (Store) throws -> Void
    ) throws {
        try self.init(.sqlite(SQLiteFile(path: path, key: key)), credentialsPath: credentialsPath, key: key)
        try engine.prepare(migrates: migrates, steps: steps) { try beforeMigrating(self) }
    }

    /// Creates a store on a database engine, without migrating its tables or checking its settings.
    init(_ engine: StoreEngine, credentialsPath: String?, key: ServerKey) {
        (self.engine, self.key) = (engine, key)
        let isShared = if case .postgres = engine { true } else { false }
        sequence = SequenceSource(isShared: isShared)
        (messageWakeup, runAgain, answeredMarks, fence) = (MessageWakeup(), RunAgain(), AnsweredMarks(), nil)
        gate = credentialsPath.map { GateCredentials(path: $0) }
    }

    /// Creates a store that uses the database of `other`, and whose batches first check a lease.
    init(_ other: Store, fence: Fence) {
        (engine, key, gate, sequence) = (other.engine, other.key, other.gate, other.sequence)
        (messageWakeup, runAgain, answeredMarks) = (other.messageWakeup, other.runAgain, other.answeredMarks)
        self.fence = fence
    }

    // MARK: Transactions

    /// Runs one transaction, commits it, and appends the transaction's changes of credentials to the gate's file.
    ///
    /// Waits while another worker is changing the same data. If this method throws, the store is unchanged, except in
    /// two cases: the gate's file couldn't be written after the commit, or the commit's answer was lost. In these
    /// cases, if the batch changed credentials, the next batch first rewrites the gate's file. The caller must publish
    /// nothing until a batch has succeeded.
    ///
    /// On PostgreSQL, `body` runs up to five times if there are conflicts. A run that lasts too long
    /// (`TransactionBound`) is repeated once. `body` must start from the beginning each time, and change nothing
    /// outside the given transaction. With `once`, a mark (`CommitMark`) prevents a second effect if the commit's
    /// answer is lost. Use `once` if the work has no id by which a second run would notice that the first run
    /// succeeded.
    package func batch<Value>(
        at now: Instant,
        once: Bool = false,
        _ body: (Transaction) throws -> Value
    ) throws -> Value {
        let attempt = CommitAttempt(once && isShared ? CommitMark<Value>(answeredMarks) : nil)
        defer { attempt.end() }
        return try runAgain.run(isPatient: { attempt.isCommitLost }) {
            try attempt.awaitMissed(gate, engine)
            return try engine.write { try commit(attempt, in: $0, at: now, body) }
        }
    }

    /// Runs a batch once, commits it, and then carries out the batch's effects outside the database.
    private func commit<Value>(
        _ attempt: CommitAttempt<Value>,
        in sql: SQL,
        at now: Instant,
        _ body: (Transaction) throws -> Value
    ) throws -> Value {
        if let gate, gate.isBehind { try rebuildCredentials(gate, sql, since: .behind) }
        let changes = GateChanges()
        defer { gate?.release(changes) }
        let value: Value
        do {
            value = try transact(sql, at: now, noting: changes) { tx in try attempt.run(in: tx, noting: changes, body) }
        } catch {
            attempt.fail(error)
            if !StoreError.isOutcomeUnknown(error) { gate?.release(changes, withdrawing: true) }
            throw error
        }
        attempt.succeed()
        try carryOut(changes, sql)
        return value
    }

    /// Appends committed changes to the gate's file, and calls the functions that were to run after the commit.
    private func carryOut(_ changes: GateChanges, _ sql: SQL) throws {
        if let gate, !changes.records.isEmpty {
            try gate.append(changes.records)
            gate.release(changes)
            // A failure to rewrite the file doesn't matter. The file is complete, and a later batch tries again.
            if gate.isBloated { try? rebuildCredentials(gate, sql, since: .bloated) }
        }
        for action in changes.afterCommit { action() }
        if changes.hasOutgoingMessage { messageWakeup.ring.withLock(\.self)?() }
    }

    /// The number of repeated runs of transactions since the process's start.
    package var rerunCount: Int { runAgain.count }

    /// Sets the function to call after each commit that left a message for the message sender.
    ///
    /// The function is called on the thread that committed, and must not block.
    package func onOutgoingMessage(_ ring: @escaping @Sendable () -> Void) { messageWakeup.ring.withLock { $0 = ring } }

    /// Runs a transaction that only moves stored content; a crash of the machine can undo the whole transaction.
    ///
    /// Since the transaction stores nothing new, its commit doesn't wait for the disk.
    package func writeWithoutSync(at now: Instant, _ body: (Transaction) throws -> Void) throws {
        try runAgain.run { try engine.writeWithoutSync { try transact($0, at: now, noting: GateChanges(), body) } }
    }

    private func transact<Value>(
        _ sql: SQL,
        at now: Instant,
        noting changes: GateChanges,
        _ body: (Transaction) throws -> Value
    ) throws -> Value {
        let beginning = sequence.begin()
        defer { sequence.end(beginning) }
        do {
            return try sql.transaction {
                try fence?.check(in: sql)
                // PostgreSQL has no data version. Nothing is cached there, because other processes can write between
                // transactions.
                let dataVersion = try sql.dataVersion
                if dataVersion.map(writerCache.begin(dataVersion:)) ?? (slot == .alone) {
                    try sequence.goOn(behind: Self.lastNumber(sql))
                }
                var transaction = Transaction(
                    sql: sql,
                    now: now,
                    key: key,
                    sequence: sequence,
                    gate: changes,
                    record: LockRecord.of(sql)
                )
                transaction.writerCache = dataVersion == nil ? nil : writerCache
                transaction.hasGateFile = gate != nil
                let value = try body(transaction)
                if let number = gate?.record(of: changes.connection) { changes.records.append(number) }
                if !changes.records.isEmpty {
                    if isShared { try GateFeed.announce(changes.records, sql) }
                    if let gate {
                        // The transaction locks all its rows before it waits for its turn to write the gate's file.
                        // Otherwise, two transactions could wait for each other: one for a row, the other for the file.
                        if isShared { try sql.run(Self.promising) }
                        try sql.settle()
                        try gate.hold(changes, longest: isShared ? Self.gateTurnMax : nil)
                    }
                }
                return value
            }
        } catch {
            writerCache.beginAnew()
            if StoreError.isOutcomeUnknown(error), !changes.records.isEmpty { gate?.fallBehind() }
            throw fence?.meaning(of: error) ?? error
        }
    }

    /// Returns the largest sequence number in the tables, which another process may have written.
    private static func lastNumber(_ sql: SQL) throws -> Int64 {
        try sql.integer(
            """
            SELECT max(stamp) FROM (SELECT max(id) AS stamp FROM outbox
                UNION ALL SELECT max(seq) FROM historyBuffer
                UNION ALL SELECT max(id) FROM audit
                UNION ALL SELECT seq FROM (SELECT seq FROM eventLog ORDER BY xid DESC, seq DESC LIMIT 1) AS event)
                AS stamps
            """
        ) ?? 0
    }

    /// Reads the last committed state, which is the same for all reads in `body`.
    package func read<Value>(
        at now: Instant = Instant(milliseconds: 0),
        _ body: (Transaction) throws -> Value
    ) throws -> Value {
        try engine.read { sql in
            try body(Transaction(sql: sql, now: now, key: key, sequence: sequence, gate: GateChanges(), record: nil))
        }
    }

    // MARK: The gate's file

    /// The longest time that a transaction on PostgreSQL waits to write the gate's file, in milliseconds.
    ///
    /// After this time, the transaction is undone and run again later. Otherwise, PostgreSQL would end the transaction
    /// when it has run no statement for 2 s.
    private static let gateTurnMax: Int64 = 1_000

    /// Makes the next batch rewrite the gate's file if a process died before writing it.
    ///
    /// If another process is about to write the file, the method waits for that process. If that process is frozen, the
    /// method goes on after `CredentialsLock.patience`.
    package func inheritCredentials() throws { try gate?.inherit() }

    /// Rewrites the gate's file when the process starts, because a crash may have prevented an earlier write.
    package func rebuildCredentials() throws {
        guard let gate else { return }
        try runAgain.run { try engine.write { sql in try rebuildCredentials(gate, sql, since: .start) } }
    }

    private func rebuildCredentials(_ gate: GateCredentials, _ sql: SQL, since reason: GateCredentials.Reason) throws {
        // Other writers wait until the file is rewritten, so later changes follow these records in the file.
        try gate.rewrite(since: reason) { isOwed, keep in
            if isOwed, isShared { _ = try sql.query(Self.ended) { _ in () } }
            return try GateRecords.all(sql, keep)
        }
    }

    /// The statement that takes a shared lock before a transaction promises changes to the gate's file
    /// (`CredentialsLock`).
    ///
    /// The lock number 440078692 is used for `isOneWriter`, and 440078693 is used for migrations.
    private static let promising = "SELECT CAST(pg_advisory_xact_lock_shared(440078694) AS TEXT)"
    /// The statement that waits for all transactions that promised changes to the gate's file (`CredentialsLock`).
    ///
    /// The statement also waits for transactions whose processes died, or whose commits wait for a standby. A
    /// transaction that waits for the gate's file ends soon, after `gateTurnMax`.
    private static let ended = "SELECT CAST(pg_advisory_xact_lock(440078694) AS TEXT)"

    /// How long the gate's file has lacked a committed change, or zero if the file is complete.
    ///
    /// Reading this property doesn't wait for writers, so any thread can read it.
    package var gateLag: Duration { gate?.lagTime ?? .zero }
}
