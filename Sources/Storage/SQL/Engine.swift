import PostgreSQL

/// What runs the statements of one transaction: one of two engines, behind one branch a statement.
enum Engine {
    case sqlite(SQLiteSession)
    case postgres(PostgresConnection)

    /// Runs a statement and lends its rows until `row` returns false.
    func query(
        _ sql: String,
        bind: (ParameterTarget) -> Void,
        row: (RowSource) throws -> Bool
    ) throws {
        switch self {
        case .sqlite(let session): try session.query(sql, bind: bind, row: row)
        case .postgres(let connection):
            try connection.query(
                sql,
                bind: { bind(ParameterTarget($0)) },
                row: { try row(.postgres($0)) }
            )
        }
    }

    /// The same for a query that may give many rows, of which the reader may need few.
    func scan(
        _ sql: String,
        bind: (ParameterTarget) -> Void,
        row: (RowSource) throws -> Bool
    ) throws {
        switch self {
        case .sqlite(let session): try session.query(sql, bind: bind, row: row)
        case .postgres(let connection):
            try connection.scan(
                sql,
                bind: { bind(ParameterTarget($0)) },
                row: { try row(.postgres($0)) }
            )
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
        case .sqlite(let session): try session.query(sql, each: elements, bind: bind, row: row)
        case .postgres(let connection):
            try connection.query(
                sql,
                each: elements,
                bind: { bind($0, ParameterTarget($1)) },
                row: { try row($0, .postgres($1)) }
            )
        }
    }

    /// How many rows the statement before changed.
    var changes: Int {
        switch self {
        case .sqlite(let session): session.changes
        case .postgres(let connection): connection.changes
        }
    }

    /// A number that is another one after another connection has written; nil where that may be at any time.
    var dataVersion: Int64? {
        get throws {
            switch self {
            case .sqlite(let session): try session.dataVersion
            case .postgres: nil
            }
        }
    }

    /// Runs a transaction that writes, alone from its first statement on with SQLite or where `isOneWriter` says so; a
    /// failure undoes all of it.
    func transaction<Value>(isOneWriter: Bool, _ body: () throws -> Value) throws -> Value {
        switch self {
        case .sqlite(let session): try session.transaction(body)
        case .postgres(let connection):
            try connection.transaction(
                beginningWith: isOneWriter ? Self.beginAlone : "BEGIN",
                body
            )
        }
    }

    /// Begins a transaction of PostgreSQL that no other one of ours runs beside; lets readers go on.
    static let beginAlone = "BEGIN; SELECT pg_advisory_xact_lock(\(writersLock))"
    /// The number of the lock that transactions take which write.
    static let writersLock = 0x1A_3B_11_64
}
