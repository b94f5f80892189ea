import CSQLite

/// A connection to a database file (SQLite's `sqlite3`).
///
/// A connection belongs to one thread at a time, and its calls block. A statement is prepared when it first runs. It
/// then stays prepared until the connection ends.
package final class SQLiteConnection {
    /// SQLite's connection.
    package let handle: OpaquePointer
    private var prepared: [String: OpaquePointer] = [:]

    /// Whether SQLite accepted both settings: small savepoint journals, and no count of used memory.
    ///
    /// By default, SQLite allocates 64 KiB as soon as it begins a savepoint's journal. The service runs most requests
    /// in a savepoint of their own. If SQLite is already in use, the settings can't be changed. SQLite then still
    /// works, but more slowly.
    private static let isSparing = keep_memory_cheap() == SQLITE_OK

    /// Opens a database file, and creates the file if it doesn't exist.
    ///
    /// SQLite checks references between rows. A statement waits up to `busySeconds` for the lock of another connection.
    ///
    /// - Throws: `SQLiteError`, also for a file that isn't a database.
    package init(path: String, busySeconds: Int = 0) throws(SQLiteError) {
        _ = Self.isSparing
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            defer { sqlite3_close(opened) }
            throw opened == nil ? SQLiteError(code: code) : SQLiteError(of: opened)
        }
        handle = opened
        sqlite3_busy_timeout(opened, Int32(busySeconds) * 1000)
        refuse_quoted_texts(opened)
        try execute("PRAGMA foreign_keys = ON")
        // This statement reads the file's header, and fails if the file isn't a database.
        _ = try integer("SELECT count(*) FROM sqlite_schema")
    }

    deinit {
        for statement in prepared.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    // MARK: Statements

    /// Runs statements that have no parameters and are separated by semicolons.
    package func execute(_ script: String) throws(SQLiteError) {
        guard sqlite3_exec(handle, script, nil, nil, nil) == SQLITE_OK else { throw SQLiteError(of: handle) }
    }

    /// Calls `body` with a prepared statement, and resets the statement afterwards.
    ///
    /// - Throws: Any error of `body`, or an `SQLiteError`.
    package func withPrepared(_ sql: String, _ body: (OpaquePointer) throws -> Void) throws {
        let statement = try statement(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        try body(statement)
    }

    /// Runs a statement up to its next row, or returns false if no row is left.
    package func step(_ statement: OpaquePointer) throws(SQLiteError) -> Bool {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: true
        case SQLITE_DONE: false
        default: throw SQLiteError(of: handle)
        }
    }

    private func statement(_ sql: String) throws(SQLiteError) -> OpaquePointer {
        if let statement = prepared[sql] { return statement }
        var made: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard sqlite3_prepare_v3(handle, sql, -1, flags, &made, nil) == SQLITE_OK else { throw SQLiteError(of: handle) }
        // `made` is nil if the string contains no statement.
        guard let made else { throw SQLiteError(code: SQLITE_MISUSE) }
        prepared[sql] = made
        return made
    }

    // MARK: Short results

    /// Returns the first column of each row: a string, or nil if the value is NULL.
    package func texts(_ sql: String, _ parameters: String...) throws -> [String?] {
        var texts: [String?] = []
        try withPrepared(sql) { statement in
            for (index, parameter) in parameters.enumerated() {
                // With this value as the last argument, SQLite copies the string.
                let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                sqlite3_bind_text(statement, Int32(index + 1), parameter, -1, copy)
            }
            while try step(statement) { texts.append(sqlite3_column_text(statement, 0).map { String(cString: $0) }) }
        }
        return texts
    }

    /// Returns the first row's first column as text, or nil if there is no row or the value is NULL.
    package func text(_ sql: String) throws -> String? { try texts(sql).first ?? nil }

    /// Returns the integer in the first row's first column, or 0 if there is no row or the value is NULL.
    package func integer(_ sql: String) throws(SQLiteError) -> Int64 {
        let statement = try statement(sql)
        defer { sqlite3_reset(statement) }
        return try step(statement) ? sqlite3_column_int64(statement, 0) : 0
    }

    /// Returns whether a table exists.
    package func hasTable(_ name: String) throws -> Bool {
        try !texts("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", name).isEmpty
    }

    /// The number of rows that the previous statement changed.
    package var changes: Int { Int(sqlite3_changes(handle)) }

    // MARK: Transactions

    /// Whether a transaction is open.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Runs a transaction that begins with the statement `begin`, and undoes the transaction completely on failure.
    package func transaction<Value>(
        beginningWith begin: String = "BEGIN IMMEDIATE",
        _ body: () throws -> Value
    ) throws -> Value {
        try run(begin)
        do {
            let value = try body()
            try run("COMMIT")
            return value
        } catch {
            // After some failures, such as a full disk, SQLite has already undone the transaction.
            if isInTransaction { try? run("ROLLBACK") }
            throw error
        }
    }

    /// Runs a part of a transaction, so that a failure undoes only that part.
    package func savepoint<Value>(_ body: () throws -> Value) throws -> Value {
        try run("SAVEPOINT piece")
        do {
            let value = try body()
            try run("RELEASE SAVEPOINT piece")
            return value
        } catch {
            try run("ROLLBACK TO SAVEPOINT piece")
            try run("RELEASE SAVEPOINT piece")
            throw error
        }
    }

    private func run(_ sql: String) throws(SQLiteError) {
        let statement = try statement(sql)
        defer { sqlite3_reset(statement) }
        _ = try step(statement)
    }

    // MARK: The file

    /// How the write-ahead log is copied into the database file.
    package enum Checkpoint {
        /// Copies as much as readers and writers allow, without waiting for them or making them wait.
        case passive
        /// Copies the whole log, and then truncates the log file.
        case truncate
    }

    /// Copies the write-ahead log into the database file.
    package func checkpoint(_ kind: Checkpoint) throws(SQLiteError) {
        let mode = kind == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
        guard sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil) == SQLITE_OK else { throw SQLiteError(of: handle) }
    }

    /// Copies the database into another file, `pages` pages at a time.
    ///
    /// After each step, `progress` gets the completed fraction of the copy (0 to 1). If `progress` throws, the copy
    /// stops.
    package func copy(to target: SQLiteConnection, pages: Int32, progress: (Double) throws -> Void) throws {
        guard let copy = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw SQLiteError(of: target.handle)
        }
        var code = SQLITE_OK
        do {
            defer { sqlite3_backup_finish(copy) }
            while code == SQLITE_OK {
                code = sqlite3_backup_step(copy, pages)
                let total = max(1, sqlite3_backup_pagecount(copy))
                try progress(1 - Double(sqlite3_backup_remaining(copy)) / Double(total))
            }
        }
        // If the copy fails, `sqlite3_backup_finish` stores the error in the target's connection.
        guard code == SQLITE_DONE else {
            throw sqlite3_errcode(target.handle) == SQLITE_OK ? SQLiteError(code: code) : SQLiteError(of: target.handle)
        }
    }

    /// Returns the number of pages written since the last call.
    package func takePagesWritten() -> Int {
        var pages: Int32 = 0
        var most: Int32 = 0
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &most, 1)
        return Int(pages)
    }
}
