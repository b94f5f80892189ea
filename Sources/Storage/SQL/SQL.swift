import SQLite
import Sodium

/// The interface between the tables' code and the database engine: statements, queries and savepoints.
///
/// The tables' code uses only SQL that both SQLite 3.40 and PostgreSQL 15 understand. A *set operation* (`each:`)
/// counts as one statement. SQLite runs a prepared statement in a loop. PostgreSQL receives the statements for all
/// elements together, and then answers them. A statement without results (`run`) isn't sent to PostgreSQL at once, but
/// together with the next query or the commit. If the statement fails, that query or commit fails. An instance is used
/// in one transaction, on one thread.
package final class SQL {
    let engine: Engine
    /// Whether write transactions, including those of other processes, run one after another.
    private let isOneWriter: Bool
    /// The time limit of write transactions; nil if they have none.
    private let bound: TransactionBound?
    /// The key with which columns are encrypted and decrypted.
    let key: ServerKey
    /// The number of statements that have run, with a set operation counted as one.
    package internal(set) var statementCount = 0

    init(_ engine: Engine, key: ServerKey, isOneWriter: Bool = false, bound: TransactionBound? = nil) {
        (self.engine, self.bound, self.isOneWriter, self.key) = (engine, bound, isOneWriter, key)
    }

    convenience init(_ connection: SQLiteConnection, key: ServerKey) { self.init(.sqlite(connection), key: key) }

    // MARK: Statements with values, `$1`, `$2` and so on

    /// Runs a statement that returns no rows.
    package func run<each Value: ColumnValue>(_ sql: String, _ values: repeat each Value) throws {
        statementCount += 1
        try engine.run(sql) { Self.bind(repeat each values, to: $0) }
    }

    /// Runs a statement for each element, in order, with the parameters from `values`.
    package func run<Elements: Collection, each Value: ColumnValue>(
        _ sql: String,
        each elements: Elements,
        _ values: (Elements.Element) -> (repeat each Value)
    ) throws {
        guard !elements.isEmpty else { return }
        statementCount += 1
        try engine.run(sql, each: elements) { element, target in
            let bound = values(element)
            Self.bind(repeat each bound, to: target)
        }
    }

    /// Runs a statement for each element, in order; the closure `value` returns the statement's only parameter.
    package func run<Elements: Collection, Value: ColumnValue>(
        _ sql: String,
        each elements: Elements,
        _ value: (Elements.Element) -> Value
    ) throws {
        guard !elements.isEmpty else { return }
        statementCount += 1
        try engine.run(sql, each: elements) { Self.bind(value($0), to: $1) }
    }

    /// Runs a query, and returns the values that `row` makes from the rows.
    package func query<Result, each Value: ColumnValue>(
        _ sql: String,
        _ values: repeat each Value,
        row: (inout Row) throws -> Result
    ) throws -> [Result] {
        statementCount += 1
        var results: [Result] = []
        try engine.query(sql) {
            Self.bind(repeat each values, to: $0)
        } row: { source in
            var next = Row(source, self)
            results.append(try row(&next))
            return true
        }
        return results
    }

    /// Converts a query's first row with the closure `row`; returns nil if there are no rows.
    package func first<Result, each Value: ColumnValue>(
        _ sql: String,
        _ values: repeat each Value,
        row: (inout Row) throws -> Result
    ) throws -> Result? {
        statementCount += 1
        var result: Result?
        try engine.query(sql) {
            Self.bind(repeat each values, to: $0)
        } row: { source in
            var next = Row(source, self)
            result = try row(&next)
            return false
        }
        return result
    }

    /// Runs a query with each element's parameters, and calls the closure `row` with the element and each row found.
    package func query<Elements: Collection, each Value: ColumnValue>(
        _ sql: String,
        each elements: Elements,
        _ values: (Elements.Element) -> (repeat each Value),
        row: (Elements.Element, inout Row) throws -> Void
    ) throws {
        guard !elements.isEmpty else { return }
        statementCount += 1
        try engine.query(sql, each: elements) { element, target in
            let bound = values(element)
            Self.bind(repeat each bound, to: target)
        } row: { element, source in
            var next = Row(source, self)
            try row(element, &next)
        }
    }

    /// Runs a query for each element, and calls the closure `row` with the element and each row found.
    ///
    /// The closure `value` returns the query's only parameter.
    package func query<Elements: Collection, Value: ColumnValue>(
        _ sql: String,
        each elements: Elements,
        _ value: (Elements.Element) -> Value,
        row: (Elements.Element, inout Row) throws -> Void
    ) throws {
        guard !elements.isEmpty else { return }
        statementCount += 1
        try engine.query(sql, each: elements) { element, target in
            Self.bind(value(element), to: target)
        } row: { element, source in
            var next = Row(source, self)
            try row(element, &next)
        }
    }

    /// Runs a query with a large result, and passes its rows to `row` until `row` returns false.
    package func scan<each Value: ColumnValue>(
        _ sql: String,
        _ values: repeat each Value,
        row: (inout Row) throws -> Bool
    ) throws {
        statementCount += 1
        try engine.scan(sql) {
            Self.bind(repeat each values, to: $0)
        } row: { source in
            var next = Row(source, self)
            return try row(&next)
        }
    }

    /// Returns the first row's first column as an integer, or nil if it is missing or NULL.
    package func integer<each Value: ColumnValue>(_ sql: String, _ values: repeat each Value) throws -> Int64? {
        try first(sql, repeat each values) { $0.next(Int64?.self) } ?? nil
    }

    // MARK: Rows of described tables

    /// Runs a statement once for each record, in order.
    package func run<Record: TableRow>(_ statement: RowStatement<Record>, each records: [Record]) throws {
        // Records are read in place, since a copy costs as much as the statement.
        try records.withUnsafeBufferPointer { rows in
            guard let first = rows.baseAddress, !rows.isEmpty else { return }
            statementCount += 1
            try engine.run(statement.text, each: rows.indices) { index, target in
                let row = first + index
                var mapper = ColumnMapper(binding: row, to: target, of: statement, in: self)
                _ = Record.map(&mapper)
            }
        }
    }

    /// Runs a statement for one record.
    package func run<Record: TableRow>(_ statement: RowStatement<Record>, _ record: Record) throws {
        try run(statement, each: [record])
    }

    /// Returns a table's rows for a clause such as `WHERE uid = $1 ORDER BY createdAt`.
    package func rows<Record: TableRow, each Value: ColumnValue>(
        of table: Table<Record>,
        _ clause: String,
        _ values: repeat each Value
    ) throws -> [Record] {
        try query(table.select + clause, repeat each values) { $0.nextRow() }
    }

    /// Returns the row that has the given key, or nil if there is no such row.
    ///
    /// The key's values must be in the order of the table's columns.
    package func find<Record: TableRow, each Value: ColumnValue>(
        _ table: Table<Record>,
        _ key: repeat each Value
    ) throws -> Record? {
        try first(table.find, repeat each key) { $0.nextRow() }
    }

    private static func bind<each Value: ColumnValue>(_ values: repeat each Value, to target: ParameterTarget) {
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            value.bind(to: Parameter(target, index))
        }
    }

    /// Returns an SQL expression for the next value of a column to which the database assigns ascending numbers.
    func nextNumber(of table: String, _ column: String) -> String {
        switch engine {
        case .sqlite: "(SELECT max(\(column)) + 1 FROM \(table))"
        case .postgres: "DEFAULT"
        }
    }

    // MARK: Transactions

    /// Whether other transactions can write, so that a transaction must lock the rows on which it depends.
    var hasOtherWriters: Bool {
        switch engine {
        case .sqlite: false
        case .postgres: true
        }
    }

    /// The number of rows that the previous statement changed.
    package var changes: Int { get throws { try engine.changes } }

    /// Runs the statements that have not been sent yet, and throws their errors.
    func settle() throws { try engine.settle() }

    /// A number that changes when another connection writes, or nil on PostgreSQL.
    var dataVersion: Int64? { get throws { try engine.dataVersion } }

    /// Runs a transaction that can write, and undoes it after an error.
    func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        try engine.transaction(isOneWriter: isOneWriter, within: bound, body)
    }

    /// Runs a part of a transaction, and undoes only this part after an error.
    package func savepoint<Value>(_ body: () throws -> Value) throws -> Value {
        // Setting a savepoint and releasing it are two statements.
        statementCount += 2
        return try engine.savepoint(body)
    }
}
