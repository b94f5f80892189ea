import Dispatch
import Synchronization

/// One connection that writes and a few that read, for a database with a write-ahead log.
package final class SQLitePool: Sendable {
    /// A connection that is used by one thread at a time.
    ///
    /// The type is `@unchecked Sendable` because threads may pass a connection on. Two threads must not use a
    /// connection at the same time.
    private struct Lent: @unchecked Sendable {
        let connection: SQLiteConnection
    }

    private let writer: Lent
    /// The queue that gives the writing connection to callers in the order of their requests.
    private let turns = DispatchQueue(label: "SQLite writer")
    private let readers = Mutex<[Lent]>([])
    private let room: DispatchSemaphore
    private let open: @Sendable () throws -> SQLiteConnection

    /// Makes a pool, and calls `open` to open the writing connection.
    ///
    /// When a reading connection is first needed, the pool calls `open` for it too. At most `readersMax` reading
    /// connections exist.
    ///
    /// - Throws: Any error of `open`, or an `SQLiteError`.
    package init(readersMax: Int, open: @escaping @Sendable () throws -> SQLiteConnection) throws {
        self.open = open
        room = DispatchSemaphore(value: readersMax)
        writer = Lent(connection: try open())
        _ = try writer.connection.text("PRAGMA journal_mode = WAL")
    }

    /// Waits until the writing connection is free, and calls `body` with it.
    package func write<Value>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
        try turns.sync { try body(writer.connection) }
    }

    /// Waits for a free reading connection, and calls `body` with it.
    ///
    /// All reads within `body` see the same committed state.
    package func read<Value>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
        room.wait()
        defer { room.signal() }
        let reader = try readers.withLock { $0.popLast() } ?? openReader()
        defer { readers.withLock { $0.append(reader) } }
        let connection = reader.connection
        return try connection.transaction(beginningWith: "BEGIN") {
            // The first SELECT determines the state that `body` sees. A `body` that copies the database runs no SELECT,
            // so this method runs one.
            _ = try connection.integer("SELECT 1 FROM sqlite_schema LIMIT 1")
            return try body(connection)
        }
    }

    private func openReader() throws -> Lent {
        let connection = try open()
        try connection.execute("PRAGMA query_only = ON")
        return Lent(connection: connection)
    }
}
