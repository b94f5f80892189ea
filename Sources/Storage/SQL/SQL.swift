import GRDB
import GRDBSQLite
import Sodium

/// The seam between our tables and the database engine: executes, queries, sets savepoints.
///
/// Everything above speaks SQL in the subset that SQLite 3.40 and PostgreSQL 15 both run, through
/// these few methods; GRDB lies below. A *set operation* (`each:`) counts as one statement whatever
/// the number of its elements: here it steps one prepared statement in a loop, on another engine it
/// sends arrays, and nothing above sees which. Lives inside one transaction, on one thread.
package final class SQL {
    private let database: Database
    /// Seals and opens columns.
    let key: ServerKey
    /// How many statements, a set operation counting as one, have run.
    package private(set) var statementCount = 0

    init(_ database: Database, key: ServerKey) {
        self.database = database
        self.key = key
    }

    // MARK: Statements with values, `$1`, `$2` and so on

    /// Runs a statement that gives no rows back.
    package func run<each Value: ColumnValue>(
        _ sql: String,
        _ values: repeat each Value
    ) throws {
        try prepare(sql) { statement in
            Self.bind(repeat each values, to: statement)
            try runToEnd(statement, sql)
        }
    }

    /// Runs a statement once for each element, in order, with the values that the element gives.
    package func run<Elements: Collection, each Value: ColumnValue>(
        _ sql: String,
        each elements: Elements,
        _ values: (Elements.Element) -> (repeat each Value)
    ) throws {
        try forEach(elements, run: sql) { statement, element in
            let bound = values(element)
            Self.bind(repeat each bound, to: statement)
            try runToEnd(statement, sql)
        }
    }

    /// Runs a statement once for each element, in order, with one value.
    package func run<Elements: Collection, Value: ColumnValue>(
        _ sql: String,
        each elements: Elements,
        _ value: (Elements.Element) -> Value
    ) throws {
        try forEach(elements, run: sql) { statement, element in
            Self.bind(value(element), to: statement)
            try runToEnd(statement, sql)
        }
    }

    /// Returns the values made from the rows.
    package func query<Result, each Value: ColumnValue>(
        _ sql: String,
        _ values: repeat each Value,
        row: (inout Row) throws -> Result
    ) throws -> [Result] {
        var results: [Result] = []
        try scan(sql, repeat each values) { next in
            results.append(try row(&next))
            return true
        }
        return results
    }

    /// Returns the value made from the first row; nil without one.
    package func first<Result, each Value: ColumnValue>(
        _ sql: String,
        _ values: repeat each Value,
        row: (inout Row) throws -> Result
    ) throws -> Result? {
        var result: Result?
        try scan(sql, repeat each values) { next in
            result = try row(&next)
            return false
        }
        return result
    }

    /// Runs a query once for each element and hands each row over with its element.
    package func query<Elements: Collection, each Value: ColumnValue>(
        _ sql: String,
        each elements: Elements,
        _ values: (Elements.Element) -> (repeat each Value),
        row: (Elements.Element, inout Row) throws -> Void
    ) throws {
        try forEach(elements, run: sql) { statement, element in
            let bound = values(element)
            Self.bind(repeat each bound, to: statement)
            while try step(statement, sql) {
                var next = Row(statement, self)
                try row(element, &next)
            }
        }
    }

    /// Runs a query once for each element, with one value, and hands each row over with its element.
    package func query<Elements: Collection, Value: ColumnValue>(
        _ sql: String,
        each elements: Elements,
        _ value: (Elements.Element) -> Value,
        row: (Elements.Element, inout Row) throws -> Void
    ) throws {
        try forEach(elements, run: sql) { statement, element in
            Self.bind(value(element), to: statement)
            while try step(statement, sql) {
                var next = Row(statement, self)
                try row(element, &next)
            }
        }
    }

    /// Hands over row after row until `row` says that it is enough.
    package func scan<each Value: ColumnValue>(
        _ sql: String,
        _ values: repeat each Value,
        row: (inout Row) throws -> Bool
    ) throws {
        try prepare(sql) { statement in
            Self.bind(repeat each values, to: statement)
            while try step(statement, sql) {
                var next = Row(statement, self)
                guard try row(&next) else { break }
            }
        }
    }

    /// The first row's first column as an integer; nil without a row or with NULL.
    package func integer<each Value: ColumnValue>(
        _ sql: String,
        _ values: repeat each Value
    ) throws -> Int64? {
        try first(sql, repeat each values) { $0.next(Int64?.self) } ?? nil
    }

    // MARK: Rows of described tables

    /// Runs a statement for each row, in order.
    package func run<Record: TableRow>(
        _ statement: RowStatement<Record>,
        each records: some Collection<Record>
    ) throws {
        try forEach(records, run: statement.text) { prepared, record in
            withUnsafePointer(to: record) { record in
                var mapper = ColumnMapper(binding: record, to: prepared, of: statement, in: self)
                _ = Record.map(&mapper)
            }
            try runToEnd(prepared, statement.text)
        }
    }

    /// Runs a statement for one row.
    package func run<Record: TableRow>(
        _ statement: RowStatement<Record>,
        _ record: Record
    ) throws {
        try run(statement, each: CollectionOfOne(record))
    }

    /// Returns the rows of a table that a clause, such as `WHERE uid = $1 ORDER BY createdAt`, picks.
    package func rows<Record: TableRow, each Value: ColumnValue>(
        of table: Table<Record>,
        _ clause: String,
        _ values: repeat each Value
    ) throws -> [Record] {
        try query(
            "SELECT \(table.columns) FROM \(table.name) \(clause)",
            repeat each values
        ) { $0.nextRow() }
    }

    /// Returns the row of a table with a key, whose columns come in the table's order; nil without one.
    package func find<Record: TableRow, each Value: ColumnValue>(
        _ table: Table<Record>,
        _ key: repeat each Value
    ) throws -> Record? {
        try first(table.find, repeat each key) { $0.nextRow() }
    }

    private static func bind<each Value: ColumnValue>(
        _ values: repeat each Value,
        to statement: OpaquePointer
    ) {
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            value.bind(to: Parameter(statement: statement, index: index))
        }
    }

    private func forEach<Elements: Collection>(
        _ elements: Elements,
        run sql: String,
        _ body: (OpaquePointer, Elements.Element) throws -> Void
    ) throws {
        guard !elements.isEmpty else { return }
        try prepare(sql) { statement in
            for element in elements {
                try body(statement, element)
                sqlite3_reset(statement)
            }
        }
    }

    private func runToEnd(_ statement: OpaquePointer, _ sql: String) throws {
        while try step(statement, sql) {}
    }

    /// How many rows the statement before changed.
    package var changes: Int { Int(sqlite3_changes(database.sqliteConnection)) }

    /// A number that is another one after another connection has written.
    var dataVersion: Int64 { get throws { try integer("PRAGMA data_version") ?? 0 } }

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
