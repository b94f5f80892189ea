import CSQLite
import SQLite
import Sodium
import Synchronization

/// The SQLite file behind a store: its connections, its durability and its log.
///
/// Only one connection writes, and only one thread at a time uses it. At most four other connections read the last
/// committed state.
final class SQLiteFile: Sendable {
    /// The size of a page, in bytes.
    static let pageBytes = 2048

    /// The path of the file.
    let path: String
    let pool: SQLitePool
    let key: ServerKey
    /// Whether the writing connection commits without waiting for the disk.
    private let isLax = Atomic(false)
    private let pagesLogged = Atomic(0)

    /// Opens or creates the file, or throws `Store.Failure`.
    init(path: String, key: ServerKey) throws {
        (self.path, self.key) = (path, key)
        pool = try Self.opening(path) { try SQLitePool(readersMax: 4) { try Self.connect(to: path) } }
    }

    /// Migrates the tables if `migrates` is true, and checks the settings.
    ///
    /// Throws `Store.Failure` or an error of `beforeMigrating`.
    func prepare(migrates: Bool, steps: [Migrations.Step], beforeMigrating: () throws -> Void) throws {
        try Self.opening(path) {
            let names = steps.map(\.name)
            let applied = try pool.read(Migrations.applied)
            if applied.contains(Migrations.unreleased) {
                throw Store.Failure.cannotOpen(
                    path: path,
                    reason: "it was made by a version before the first release; start with a new data directory"
                )
            }
            if !applied.isSubset(of: names) { throw Store.Failure.newerVersion(path: path) }
            // The key is checked first, so that a database with another key stays unchanged.
            let known = try pool.read(KeyFingerprint.read)
            if let known, known != key.fingerprint { throw Store.Failure.foreignKey(path: path) }
            let isComplete = applied.isSuperset(of: names)
            if migrates {
                try pool.write(Self.secure)
                // For a new database, `beforeMigrating` isn't called, since the database contains nothing.
                if !isComplete, !applied.isEmpty { try beforeMigrating() }
                try pool.write { try Migrations.run(steps, in: $0) }
                guard try pool.write({ try KeyFingerprint.keep(key, in: $0) }) == key.fingerprint else {
                    throw Store.Failure.foreignKey(path: path)
                }
                try makeShrinkable(upTo: Self.smallBytes)
            } else if !isComplete {
                throw Store.Failure.olderVersion(path: path)
            }
            try pool.write(Self.secure)
        }
    }

    /// Runs one step of opening the file, and turns the engine's errors into `Store.Failure`.
    private static func opening<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as SQLiteError {
            if error.primaryCode == SQLITE_FULL { throw Store.Failure.diskFull(path: path) }
            throw Store.Failure.cannotOpen(path: path, reason: error.message)
        }
    }

    /// Waits until the writing connection is free, and lends it to `body` for any number of transactions.
    func write<Value>(_ body: (SQL) throws -> Value) throws -> Value {
        try pool.write { database in
            try restoreDurability(database)
            defer { countPages(database) }
            return try body(SQL(database, key: key))
        }
    }

    /// Lends `body` a connection that reads one committed state of the database.
    func read<Value>(_ body: (SQL) throws -> Value) throws -> Value { try pool.read { try body(SQL($0, key: key)) } }

    // MARK: Durability

    /// Does the same as `write`, but commits don't wait for the disk.
    func writeWithoutSync(_ body: (SQL) throws -> Void) throws {
        try pool.write { database in
            isLax.store(true, ordering: .relaxed)
            try database.execute("PRAGMA synchronous = NORMAL")
            defer { countPages(database) }
            let result = Result { try body(SQL(database, key: key)) }
            // Durability is restored before any other writer continues, since other writers' commits must be durable.
            try restoreDurability(database)
            try result.get()
        }
    }

    /// Makes commits durable again; until this succeeds, no batch can be committed.
    private func restoreDurability(_ database: SQLiteConnection) throws {
        guard isLax.load(ordering: .relaxed) else { return }
        try Self.secure(database)
        isLax.store(false, ordering: .relaxed)
    }

    /// How many pages this process has written into the write-ahead log so far.
    var pagesWritten: Int { pagesLogged.load(ordering: .relaxed) }

    private func countPages(_ database: SQLiteConnection) {
        pagesLogged.add(database.takePagesWritten(), ordering: .relaxed)
    }
}
