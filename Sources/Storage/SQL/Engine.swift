import PostgreSQL
import SQLite

/// The engine that runs the statements of one transaction: a connection to SQLite or to PostgreSQL.
enum Engine {
    case sqlite(SQLiteConnection)
    case postgres(PostgresConnection)

    /// Runs a statement, and passes its rows to `row` until `row` returns false.
    func query(_ sql: String, bind: (ParameterTarget) -> Void, row: (RowSource) throws -> Bool) throws {
        switch self {
        case .sqlite(let connection): try connection.query(sql, bind: bind, row: row)
        case .postgres(let connection):
            try connection.query(sql, bind: { bind(ParameterTarget($0)) }, row: { try row(.postgres($0)) })
        }
    }

    /// Runs a statement without a result; an error of the statement may be thrown only by a later call.
    func run(_ sql: String, bind: (ParameterTarget) -> Void) throws {
        switch self {
        case .sqlite(let connection): try connection.query(sql, bind: bind) { _ in true }
        case .postgres(let connection):
            try connection.runLater(sql) { bind(ParameterTarget($0)) }
        }
    }

    /// Runs a statement without a result once for each element, in order.
    func run<Elements: Collection>(
        _ sql: String,
        each elements: Elements,
        bind: (Elements.Element, ParameterTarget) -> Void
    ) throws {
        switch self {
        case .sqlite(let connection): try connection.query(sql, each: elements, bind: bind) { _, _ in }
        case .postgres(let connection): try connection.runLater(sql, each: elements) { bind($0, ParameterTarget($1)) }
        }
    }

    /// Runs a query whose caller may need only a few of many rows.
    func scan(_ sql: String, bind: (ParameterTarget) -> Void, row: (RowSource) throws -> Bool) throws {
        switch self {
        case .sqlite(let connection): try connection.query(sql, bind: bind, row: row)
        case .postgres(let connection):
            try connection.scan(sql, bind: { bind(ParameterTarget($0)) }, row: { try row(.postgres($0)) })
        }
    }

    /// Runs a statement once for each element, in order, and passes its rows to `row`.
    func query<Elements: Collection>(
        _ sql: String,
        each elements: Elements,
        bind: (Elements.Element, ParameterTarget) -> Void,
        row: (Elements.Element, RowSource) throws -> Void
    ) throws {
        switch self {
        case .sqlite(let connection): try connection.query(sql, each: elements, bind: bind, row: row)
        case .postgres(let connection):
            try connection.query(
                sql,
                each: elements,
                bind: { bind($0, ParameterTarget($1)) },
                row: { try row($0, .postgres($1)) }
            )
        }
    }

    /// Runs the statements that have not been sent to PostgreSQL yet.
    func settle() throws {
        guard case .postgres(let connection) = self else { return }
        try connection.settle()
    }

    /// The number of rows that the previous statement changed.
    var changes: Int {
        get throws {
            switch self {
            case .sqlite(let connection): connection.changes
            case .postgres(let connection): try connection.lastChanges()
            }
        }
    }

    /// A number that changes when another connection writes, or nil on PostgreSQL.
    var dataVersion: Int64? {
        get throws {
            switch self {
            case .sqlite(let connection): try connection.integer("PRAGMA data_version")
            case .postgres: nil
            }
        }
    }

    /// Runs a transaction that can write, and undoes it after an error.
    ///
    /// With SQLite, or if `isOneWriter`, no other writing transaction runs at the same time.
    func transaction<Value>(
        isOneWriter: Bool,
        within bound: TransactionBound?,
        _ body: () throws -> Value
    ) throws -> Value {
        switch self {
        case .sqlite(let connection): try connection.transaction(body)
        case .postgres(let connection):
            try connection.transaction(beginningWith: isOneWriter ? Self.beginAlone : ["BEGIN"], within: bound, body)
        }
    }

    /// Runs a part of a transaction, and undoes only this part after an error.
    func savepoint<Value>(_ body: () throws -> Value) throws -> Value {
        switch self {
        case .sqlite(let connection): try connection.savepoint(body)
        case .postgres(let connection): try connection.savepoint(body)
        }
    }

    /// The statements that begin a PostgreSQL transaction as the only writer, without blocking readers.
    static let beginAlone = ["BEGIN", lockWriters]
    /// The statement that waits for the lock of the only writer, and takes it.
    static let lockWriters = "SELECT pg_advisory_xact_lock(\(0x1A_3B_11_64))"
}
