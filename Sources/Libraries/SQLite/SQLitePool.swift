import Dispatch
import Synchronization

/// The connections of one process to a database file with a log (`-wal`): one that writes, for one thread at a time,
/// and a few that read.
package final class SQLitePool: Sendable {
    /// A connection that one thread at a time uses.
    ///
    /// `@unchecked` since SQLite's connection can change threads, but not be used by two at once.
    private struct Lent: @unchecked Sendable {
        let connection: SQLiteConnection
    }

    private let writer: Lent
    /// Lends the writer in the order of the requests.
    private let turns = DispatchQueue(label: "SQLite writer")
    private let readers = Mutex<[Lent]>([])
    private let room: DispatchSemaphore
    private let open: @Sendable () throws -> SQLiteConnection

    /// Opens the connection that writes; `open` makes each connection.
    ///
    /// At most `readersMax` connections read. They are opened when they are first needed.
    ///
    /// - Throws: What `open` throws, or an `SQLiteError`.
    package init(
        readersMax: Int,
        open: @escaping @Sendable () throws -> SQLiteConnection
    ) throws {
        self.open = open
        room = DispatchSemaphore(value: readersMax)
        writer = Lent(connection: try open())
        _ = try writer.connection.text("PRAGMA journal_mode = WAL")
    }

    /// Lends the connection that writes; waits until it is free.
    package func write<Value>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
        try turns.sync { try body(writer.connection) }
    }

    /// Lends a connection that reads one committed state; waits until one is free.
    package func read<Value>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
        room.wait()
        defer { room.signal() }
        let reader = try readers.withLock { $0.popLast() } ?? openReader()
        defer { readers.withLock { $0.append(reader) } }
        let connection = reader.connection
        return try connection.transaction(beginningWith: "BEGIN") {
            // The first statement that reads fixes the state, and copying the database runs none.
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
