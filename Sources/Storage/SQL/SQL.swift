import GRDB
import GRDBSQLite

/// The seam between our tables and the database engine: executes, queries, sets savepoints.
///
/// Everything above speaks SQL in the subset that SQLite 3.40 and PostgreSQL 15 both run, through
/// these few methods; GRDB lies below. A *set operation* (`each:`) counts as one statement whatever
/// the number of its elements: here it steps one prepared statement in a loop, on another engine it
/// sends arrays, and nothing above sees which. Lives inside one transaction, on one thread.
package final class SQL {
    private let database: Database
    /// How many statements, a set operation counting as one, have run.
    package private(set) var statementCount = 0

    init(_ database: Database) {
        self.database = database
    }

    /// Runs a statement that gives no rows back.
    package func run(_ sql: String, _ bind: (inout Binder) -> Void = { _ in }) throws {
        try prepare(sql) { statement in
            bindAll(statement, bind)
            while try step(statement, sql) {}
        }
    }

    /// Runs a statement once for each element, in order.
    package func run<Elements: Collection>(
        _ sql: String,
        each elements: Elements,
        _ bind: (inout Binder, Elements.Element) -> Void
    ) throws {
        guard !elements.isEmpty else { return }
        try prepare(sql) { statement in
            for element in elements {
                bindAll(statement) { binder in bind(&binder, element) }
                while try step(statement, sql) {}
                sqlite3_reset(statement)
            }
        }
    }

    /// Returns the values made from the rows.
    package func query<Value>(
        _ sql: String,
        _ bind: (inout Binder) -> Void = { _ in },
        row: (Row) throws -> Value
    ) throws -> [Value] {
        var values: [Value] = []
        try prepare(sql) { statement in
            bindAll(statement, bind)
            while try step(statement, sql) { values.append(try row(Row(statement))) }
        }
        return values
    }

    /// Hands over row after row until `row` says that it is enough.
    package func scan(
        _ sql: String,
        _ bind: (inout Binder) -> Void = { _ in },
        row: (Row) throws -> Bool
    ) throws {
        try prepare(sql) { statement in
            bindAll(statement, bind)
            while try step(statement, sql), try row(Row(statement)) {}
        }
    }

    /// Runs a query once for each element and hands each row over with its element.
    package func query<Elements: Collection>(
        _ sql: String,
        each elements: Elements,
        _ bind: (inout Binder, Elements.Element) -> Void,
        row: (Elements.Element, Row) throws -> Void
    ) throws {
        guard !elements.isEmpty else { return }
        try prepare(sql) { statement in
            for element in elements {
                bindAll(statement) { binder in bind(&binder, element) }
                while try step(statement, sql) { try row(element, Row(statement)) }
                sqlite3_reset(statement)
            }
        }
    }

    /// The first row's first column as an integer; nil without a row or with NULL.
    package func integer(
        _ sql: String,
        _ bind: (inout Binder) -> Void = { _ in }
    ) throws -> Int64? {
        try query(sql, bind) { $0.optionalInteger(0) }.first ?? nil
    }

    /// How many rows the statement before changed.
    package var changes: Int { Int(sqlite3_changes(database.sqliteConnection)) }

    /// Runs a transaction that writes, alone from its first statement on; a failure undoes all of it.
    ///
    /// With statements that stay prepared: the engine's wrapper parses its own every time.
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

    /// Runs a piece of work so that its failure undoes that piece alone.
    package func savepoint<Value>(_ body: () throws -> Value) throws -> Value {
        try run("SAVEPOINT piece")
        do {
            let value = try body()
            try run("RELEASE piece")
            return value
        } catch {
            try run("ROLLBACK TO piece")
            try run("RELEASE piece")
            throw error
        }
    }

    private func prepare(_ sql: String, _ body: (OpaquePointer) throws -> Void) throws {
        statementCount += 1
        let statement = try database.cachedStatement(sql: sql).sqliteStatement
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        try body(statement)
    }

    private func bindAll(_ statement: OpaquePointer, _ bind: (inout Binder) -> Void) {
        var binder = Binder(statement)
        bind(&binder)
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
