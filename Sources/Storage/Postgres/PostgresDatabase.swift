import PostgreSQL
import Sodium
import Synchronization

/// The PostgreSQL database behind a store: its connections, and their settings.
///
/// One thread of the process writes at a time, and of all processes that use the database too, by a lock that each
/// transaction takes first. Readers see one committed state and never wait.
final class PostgresDatabase: Sendable {
    /// The most connections that stay open while they are not in use.
    static let idleMax = 5

    /// A connection that one thread at a time uses: who has it took it out of the list of idle ones, under its lock.
    private struct Lent: @unchecked Sendable {  // in one thread's hands at a time
        let connection: PostgresConnection
    }

    let key: ServerKey
    private let address: String
    private let idle = Mutex<[Lent]>([])
    private let writing = Mutex(())

    /// Refers to a database by libpq's address, and connects once to see that it answers and is as it must be.
    ///
    /// - Throws: `Store.Failure`.
    init(address: String, key: ServerKey) throws {
        self.address = address
        self.key = key
        do {
            try with(Self.check)
        } catch let error as PostgresError {
            throw Store.Failure.cannotOpen(path: "the database", reason: error.description)
        }
    }

    /// Lends a connection for any number of transactions that write; waits while another thread has one.
    func write<Value>(_ body: (SQL) throws -> Value) throws -> Value {
        var value: Value?
        try writing.withLock { _ in
            value = try with { try body(SQL(.postgres($0), key: key)) }
        }
        guard let value else { throw PostgresError(message: "nothing was written") }
        return value
    }

    /// Lends a connection that reads one state.
    func read<Value>(_ body: (SQL) throws -> Value) throws -> Value {
        try with { connection in
            try connection.transaction(
                beginningWith: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
            ) {
                try body(SQL(.postgres(connection), key: key))
            }
        }
    }

    /// Lends a connection, which is closed afterwards if it was lost.
    func with<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
        let lent = try idle.withLock { $0.popLast() } ?? Lent(connection: open())
        defer {
            if !lent.connection.isLost, !lent.connection.isInTransaction {
                idle.withLock { if $0.count < Self.idleMax { $0.append(lent) } }
            }
        }
        return try body(lent.connection)
    }

    private func open() throws(PostgresError) -> PostgresConnection {
        let connection = try PostgresConnection(address)
        try connection.execute("SET client_encoding = 'UTF8'; SET synchronous_commit = 'on'")
        return connection
    }

    // MARK: Settings

    /// What order, texts and durability rest on.
    private static let wanted = [
        ("server_encoding", "UTF8"), ("lc_collate", "C"), ("synchronous_commit", "on"),
    ]

    /// Refuses a database whose settings are others.
    private static func check(_ connection: PostgresConnection) throws {
        for (name, value) in wanted {
            let actual = try setting(name, connection)
            guard actual == value else {
                throw Store.Failure.wrongSetting(name: name, value: actual, wanted: value)
            }
        }
    }

    private static func setting(_ name: String, _ connection: PostgresConnection) throws -> String {
        var value = "unknown"
        try connection.query("SHOW \(name)", bind: { _ in }) { row in
            value = String(decoding: row.bytes(0), as: UTF8.self)
            return false
        }
        return value
    }

    /// Returns the settings that durability rests on, as they are now, by name.
    func settings() throws -> [(name: String, value: String)] {
        try with { connection in
            try Self.wanted.map { name, _ in (name, try Self.setting(name, connection)) }
        }
    }

    // MARK: Maintenance

    /// Returns how much the database takes on the server's disk, in bytes.
    func bytes() throws -> Int64 {
        try read { try $0.integer("SELECT pg_database_size(current_database())") ?? 0 }
    }

    /// Rewrites the tables that erased accounts stood in: unused parts of pages keep what was deleted.
    ///
    /// The server's log and its copies keep it for as long as they are kept. Always returns true.
    func vacuumErased() throws -> Bool {
        guard let mark = try read({ try MetaTable(sql: $0, cache: nil).pendingVacuum() }) else {
            return true
        }
        try with { connection in
            for table in ["account", "identity"] { try connection.execute("VACUUM FULL \(table)") }
        }
        try write { sql in
            try sql.transaction { try MetaTable(sql: sql, cache: nil).confirmVacuum(mark) }
        }
        return true
    }
}
