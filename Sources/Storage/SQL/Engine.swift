import PostgreSQL
import SQLite

/// The engine that runs the statements of one transaction: one of two, with one branch for each statement.
enum Engine {
    case sqlite(SQLiteConnection)
    case postgres(PostgresConnection)

    /// Runs a statement and lends its rows until `row` returns false.
    func query(_ sql: String, bind: (ParameterTarget) -> Void, row: (RowSource) throws -> Bool) throws {
        switch self {
        case .sqlite(let connection): try connection.query(sql, bind: bind, row: row)
        case .postgres(let connection):
            try connection.query(sql, bind: { bind(ParameterTarget($0)) }, row: { try row(.postgres($0)) })
        }
    }

    /// Runs a statement whose rows aren't needed; a later statement or the commit can report its failure.
    func run(_ sql: String, bind: (ParameterTarget) -> Void) throws {
        switch self {
        case .sqlite(let connection): try connection.query(sql, bind: bind) { _ in true }
        case .postgres(let connection):
            try connection.runLater(sql) { bind(ParameterTarget($0)) }
        }
    }

    /// Runs such a statement once for each element, in order.
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

    /// Runs a query that can return many rows, of which the reader may need few.
    func scan(_ sql: String, bind: (ParameterTarget) -> Void, row: (RowSource) throws -> Bool) throws {
        switch self {
        case .sqlite(let connection): try connection.query(sql, bind: bind, row: row)
        case .postgres(let connection):
            try connection.scan(sql, bind: { bind(ParameterTarget($0)) }, row: { try row(.postgres($0)) })
        }
    }

    /// Runs a statement for each element, in order, and lends its rows.
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

    /// Runs the statements that were put off to be sent together with a later one.
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

    /// A number that changes when another connection writes; nil if others can write at any time.
    var dataVersion: Int64? {
        get throws {
            switch self {
            case .sqlite(let connection): try connection.integer("PRAGMA data_version")
            case .postgres: nil
            }
        }
    }

    /// Runs a writing transaction, alone from its first statement on with SQLite or if `isOneWriter`; a failure undoes
    /// all of it.
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

    /// Runs a piece of a transaction so that its failure undoes that piece alone.
    func savepoint<Value>(_ body: () throws -> Value) throws -> Value {
        switch self {
        case .sqlite(let connection): try connection.savepoint(body)
        case .postgres(let connection): try connection.savepoint(body)
        }
    }

    /// The statements that begin a PostgreSQL transaction without other writers; readers continue.
    static let beginAlone = ["BEGIN", lockWriters]
    /// The statement that waits until no other transaction writes.
    static let lockWriters = "SELECT pg_advisory_xact_lock(\(0x1A_3B_11_64))"
}
