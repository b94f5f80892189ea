import GRDB
import GRDBSQLite

/// The statements of one transaction on a connection to SQLite; GRDB keeps them prepared.
struct SQLiteSession {
    let database: Database

    /// Runs a statement and lends its rows until `row` returns false.
    func query(
        _ sql: String,
        bind: (ParameterTarget) -> Void,
        row: (RowSource) throws -> Bool
    ) throws {
        try prepare(sql) { statement in
            bind(.sqlite(statement))
            while try step(statement, sql) {
                guard try row(.sqlite(statement)) else { break }
            }
        }
    }

    /// Runs a statement for each element, in order, prepared once, and lends its rows.
    func query<Elements: Collection>(
        _ sql: String,
        each elements: Elements,
        bind: (Elements.Element, ParameterTarget) -> Void,
        row: (Elements.Element, RowSource) throws -> Void
    ) throws {
        guard !elements.isEmpty else { return }
        try prepare(sql) { statement in
            for element in elements {
                bind(element, .sqlite(statement))
                while try step(statement, sql) { try row(element, .sqlite(statement)) }
                sqlite3_reset(statement)
            }
        }
    }

    /// The number of rows that the previous statement changed.
    var changes: Int { Int(sqlite3_changes(database.sqliteConnection)) }

    /// A number that changes when another connection writes.
    var dataVersion: Int64 {
        get throws {
            var version: Int64 = 0
            try query("PRAGMA data_version", bind: { _ in }) { row in
                version = Column(source: row, index: 0).integer
                return false
            }
            return version
        }
    }

    /// Runs a writing transaction, alone from its first statement on; a failure undoes all of it.
    ///
    /// Its statements stay prepared, while GRDB parses its own every time.
    func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        try run("BEGIN IMMEDIATE")
        do {
            let value = try body()
            try run("COMMIT")
            return value
        } catch {
            // Some failures, such as a full disk, have undone it already.
            if sqlite3_get_autocommit(database.sqliteConnection) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    /// Runs a piece of a transaction so that its failure undoes that piece alone.
    func savepoint<Value>(_ body: () throws -> Value) throws -> Value {
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

    private func run(_ sql: String) throws { try query(sql, bind: { _ in }) { _ in true } }

    private func prepare(_ sql: String, _ body: (OpaquePointer) throws -> Void) throws {
        let statement = try database.cachedStatement(sql: sql).sqliteStatement
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        try body(statement)
    }

    private func step(_ statement: OpaquePointer, _ sql: String) throws -> Bool {
        let code = sqlite3_step(statement)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        let extended = sqlite3_extended_errcode(database.sqliteConnection)
        throw DatabaseError(
            resultCode: .init(rawValue: extended),
            message: String(cString: sqlite3_errmsg(database.sqliteConnection)),
            sql: sql
        )
    }
}
