import CSQLite
package import Domain
import GRDB
import GRDBSQLite
package import Sodium
import Synchronization

/// The one SQLite file that holds everything, and the only way to it.
///
/// One writer connection is shared by all workers of the process: a batch is one transaction, and batches
/// follow one another. Readers see the last committed state and never wait. A batch's changes to the gate's
/// credentials are appended to the gate's file right after its commit, before any other writer may go on, so
/// that the file never falls behind an answer.
package final class Store: Sendable {
    /// Why a store can't be opened or used.
    package enum Failure: Error, Equatable, CustomStringConvertible {
        /// A later version of the program wrote the file.
        case newerVersion(path: String)
        /// A setting that durability rests on could not be set.
        case wrongSetting(name: String, value: String, wanted: String)
        /// The file can't be opened.
        case cannotOpen(path: String, reason: String)
        /// The disk has no room for what opening the file writes.
        case diskFull(path: String)
        /// The file has not been migrated yet, and a tool does not migrate.
        case olderVersion(path: String)

        package var description: String {
            switch self {
            case .newerVersion(let path):
                "\(path) was written by a newer version of lamplighter"
            case .wrongSetting(let name, let value, let wanted):
                "the database setting \(name) is \(value), not \(wanted)"
            case .cannotOpen(let path, let reason): "\(path) can't be opened: \(reason)"
            case .diskFull(let path): "the disk has no room to open \(path)"
            case .olderVersion(let path):
                "\(path) was written by an older version of lamplighter and has to be migrated"
            }
        }
    }

    let pool: DatabasePool
    let key: ServerKey
    private let gate: GateCredentials?
    private let sequence = SequenceSource()
    /// Whether the writer was left without the setting that makes commits last.
    private let isLax = Atomic(false)
    private let pagesLogged = Atomic(0)
    private let messageWakeup = Mutex<(@Sendable () -> Void)?>(nil)
    private let writerCache = WriterCache()

    /// Where the file is.
    package let path: String

    /// Opens the file, migrates it unless told not to, and checks its settings.
    ///
    /// `credentialsPath` is the gate's file; nil where nothing that the gate knows changes. `beforeMigrating` is called
    /// when a database of an older version is about to be changed, and may throw to leave it as it is.
    /// - Throws: `Failure`, or what `beforeMigrating` throws.
    package convenience init(
        path: String,
        credentialsPath: String?,
        key: ServerKey,
        migrates: Bool = true,
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
    }

    /// The same with the steps of another version.
    init(
        path: String,
        credentialsPath: String?,
        key: ServerKey,
        migrates: Bool = true,
        steps: [Migrations.Step],
        beforeMigrating: (Store) throws -> Void = { _ in }
    ) throws {
        _ = Self.isSparing
        self.path = path
        self.key = key
        gate = credentialsPath.map { GateCredentials(path: $0) }
        do {
            pool = try DatabasePool(path: path, configuration: Self.configuration())
            let migrator = Migrations.migrator(steps)
            if try pool.read(Migrations.isUnreleased) {
                throw Failure.cannotOpen(
                    path: path,
                    reason:
                        "a version before the first release made it; start with a new data directory"
                )
            }
            if try pool.read(migrator.hasBeenSuperseded) { throw Failure.newerVersion(path: path) }
            if migrates {
                if try pool.read({ try Migrations.isPending(migrator, $0) }) {
                    try beforeMigrating(self)
                }
                try migrator.migrate(pool)
                try makeShrinkable(upTo: Self.smallBytes)
            } else if try !pool.read(migrator.hasCompletedMigrations) {
                throw Failure.olderVersion(path: path)
            }
            try pool.writeWithoutTransaction(Self.secure)
        } catch let error as DatabaseError {
            if error.resultCode == .SQLITE_FULL { throw Failure.diskFull(path: path) }
            throw Failure.cannotOpen(path: path, reason: error.message ?? "\(error.resultCode)")
        }
    }

    /// Whether SQLite's journals of savepoints, one for each request, grow by what they hold, and its memory is
    /// not counted.
    ///
    /// Left alone each journal takes 64 KiB at once, whatever it will hold. Nothing but speed depends on it, so
    /// that it may fail, as where SQLite was in use before.
    private static let isSparing = keep_memory_cheap() == SQLITE_OK

    static let pageBytes = 2048

    private static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { database in
            // Small pages, set before the first table: reports touch one here and one there, and
            // every page touched is copied whole into the log.
            try database.execute(sql: "PRAGMA page_size = \(pageBytes)")
            // So that the file can give back what it no longer needs, a few pages at a time; said to one that
            // has something in it, it is a write.
            if try Int.fetchOne(database, sql: "PRAGMA page_count") == 0 {
                try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            }
            // 16 MiB of pages for the working set; 80 MB of log between checkpoints.
            try database.execute(sql: "PRAGMA cache_size = -16384")
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 40000")
            // After a flood the log's file goes back to the length that it is kept at.
            try database.execute(sql: "PRAGMA journal_size_limit = \(LogFile.bytesMax)")
            // Deleted content is overwritten, so that no erased user is found in a free page.
            try database.execute(sql: "PRAGMA secure_delete = ON")
        }
        return configuration
    }

    /// Sets what durability rests on, reads it back, and refuses to go on when it did not take.
    private static func secure(_ database: Database) throws {
        try database.execute(sql: "PRAGMA synchronous = FULL")
        let wanted = [("journal_mode", "wal"), ("synchronous", "2"), ("foreign_keys", "1")]
        for (name, value) in wanted {
            let actual = try String.fetchOne(database, sql: "PRAGMA \(name)") ?? "unknown"
            guard actual == value else {
                throw Failure.wrongSetting(name: name, value: actual, wanted: value)
            }
        }
    }

    /// Runs one transaction, commits it, and tells the gate's file what changed.
    ///
    /// Blocks while another worker writes. When it throws nothing was changed, with one exception: a gate's
    /// file that can't be written after the commit. Then the next batch rewrites it before it does anything
    /// else, and nothing may be published until one succeeded.
    package func batch<Value>(
        at now: Instant,
        _ body: (Transaction) throws -> Value
    ) throws -> Value {
        try pool.writeWithoutTransaction { database in
            try restoreDurability(database)
            if let gate, gate.isBehind { try rebuildCredentials(gate, database) }
            let changes = GateChanges()
            defer { gate?.release() }
            let value = try transact(database, at: now, noting: changes, body)
            if let gate, !changes.records.isEmpty {
                try gate.append(changes.records)
                gate.release()
                if gate.isBloated { try rebuildCredentials(gate, database) }
            }
            if changes.hasOutgoingMessage { messageWakeup.withLock(\.self)?() }
            return value
        }
    }

    /// Sets the function to call after each commit that left a message for the delivery service.
    ///
    /// It is called on the thread that committed, and must not block.
    package func onOutgoingMessage(_ ring: @escaping @Sendable () -> Void) {
        messageWakeup.withLock { $0 = ring }
    }

    /// Moves stored content from one place to another, in one transaction that a crash of the machine may undo
    /// as a whole: it stores nothing new, so no commit waits for the disk.
    package func writeWithoutSync(at now: Instant, _ body: (Transaction) throws -> Void) throws {
        try pool.writeWithoutTransaction { database in
            isLax.store(true, ordering: .relaxed)
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            let result = Result { try transact(database, at: now, noting: GateChanges(), body) }
            // Before any other writer goes on: its commits must be durable.
            try restoreDurability(database)
            try result.get()
        }
    }

    /// Restores the durability of commits; until that succeeds no batch may commit.
    private func restoreDurability(_ database: Database) throws {
        guard isLax.load(ordering: .relaxed) else { return }
        try Self.secure(database)
        isLax.store(false, ordering: .relaxed)
    }

    private func transact<Value>(
        _ database: Database,
        at now: Instant,
        noting changes: GateChanges,
        _ body: (Transaction) throws -> Value
    ) throws -> Value {
        let sql = SQL(database, key: key)
        defer { countPages(database) }
        do {
            return try sql.transaction {
                let dataVersion = try sql.integer("PRAGMA data_version") ?? 0
                if writerCache.begin(dataVersion: dataVersion) {
                    try sequence.goOn(behind: Self.lastNumber(sql))
                }
                var transaction = Transaction(
                    sql: sql,
                    now: now,
                    key: key,
                    sequence: sequence,
                    gate: changes
                )
                transaction.writerCache = writerCache
                let value = try body(transaction)
                if let number = gate?.record(of: changes.connection) {
                    changes.records.append(number)
                }
                if !changes.records.isEmpty { try gate?.hold() }
                return value
            }
        } catch {
            writerCache.beginAnew()
            throw error
        }
    }

    /// Returns the largest stamp that is a row's key, which another process may have given.
    private static func lastNumber(_ sql: SQL) throws -> Int64 {
        try sql.integer(
            """
            SELECT max(stamp) FROM (SELECT max(id) AS stamp FROM outbox
                UNION ALL SELECT max(seq) FROM historyBuffer
                UNION ALL SELECT max(id) FROM audit) AS stamps
            """
        ) ?? 0
    }

    /// Reads the last committed state; several reads of one closure see the same state.
    package func read<Value>(_ body: (Transaction) throws -> Value) throws -> Value {
        try pool.read { database in
            try body(
                Transaction(
                    sql: SQL(database, key: key),
                    now: Instant(milliseconds: 0),
                    key: key,
                    sequence: sequence,
                    gate: GateChanges()
                )
            )
        }
    }

    /// Rewrites the gate's file from the tables; at start, since a crash may have come between a commit and the
    /// file.
    package func rebuildCredentials() throws {
        guard let gate else { return }
        try pool.writeWithoutTransaction { database in try rebuildCredentials(gate, database) }
    }

    private func rebuildCredentials(_ gate: GateCredentials, _ database: Database) throws {
        // Read while no other process may write: its later commits are appended behind.
        try gate.rewrite { try GateCredentials.everything(SQL(database, key: key)) }
    }

    /// How long the gate's file has lacked a committed change of rights; zero while it has all.
    ///
    /// Doesn't wait for writers, so that any thread may ask.
    package var gateLag: Duration { gate?.lagTime ?? .zero }

    /// Pages that this process has written into the log since it opened the store.
    package var pagesWritten: Int { pagesLogged.load(ordering: .relaxed) }

    /// Adds the engine's count, which is narrower than ours, and resets it.
    private func countPages(_ database: Database) {
        var pages: Int32 = 0
        var most: Int32 = 0
        let status = SQLITE_DBSTATUS_CACHE_WRITE
        sqlite3_db_status(database.sqliteConnection, status, &pages, &most, 1)
        pagesLogged.add(Int(pages), ordering: .relaxed)
    }

    /// Returns the settings that durability rests on, as they are now, by name.
    package func settings() throws -> [(name: String, value: String)] {
        try pool.writeWithoutTransaction { database in
            try ["journal_mode", "synchronous", "foreign_keys", "wal_autocheckpoint"].map { name in
                (name, try String.fetchOne(database, sql: "PRAGMA \(name)") ?? "unknown")
            }
        }
    }

    /// Returns the tables and indexes as SQL, in the order of their making.
    package func schema() throws -> String {
        try pool.read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT sql FROM sqlite_schema
                    WHERE sql IS NOT NULL AND name NOT LIKE 'grdb_%' ORDER BY rowid
                    """
            ).map { $0 + ";\n" }.joined(separator: "\n")
        }
    }
}
