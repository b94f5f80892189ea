import CSQLite
import PostgreSQL

/// The location of a row in a query's result, as plain values that cost nothing to pass on.
enum RowSource {
    /// There is no row, so each column is NULL.
    case none
    /// The current row of an SQLite statement.
    case sqlite(OpaquePointer)
    /// A row of a PostgreSQL result.
    case postgres(PostgresRow)
}

/// One column of a row; if there is no row, the column is NULL.
package struct Column {
    let source: RowSource
    let index: Int32

    /// Whether the column is NULL.
    package var isNull: Bool {
        switch source {
        case .sqlite(let statement): sqlite3_column_type(statement, index) == SQLITE_NULL
        case .postgres(let row): row.isNull(index)
        case .none: true
        }
    }

    /// The column's value as an integer; 0 for NULL.
    package var integer: Int64 {
        switch source {
        case .sqlite(let statement): sqlite3_column_int64(statement, index)
        case .postgres(let row): row.integer(index)
        case .none: 0
        }
    }

    /// The column's value as a floating-point number; 0 for NULL.
    package var double: Double {
        switch source {
        case .sqlite(let statement): sqlite3_column_double(statement, index)
        case .postgres(let row): row.double(index)
        case .none: 0
        }
    }

    /// Lends the text's UTF-8 bytes to `body`, or an empty buffer for NULL.
    package func withText<Value>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Value) rethrows -> Value {
        switch source {
        case .sqlite(let statement): try body(Self.bytes(statement, index, from: sqlite3_column_text(statement, index)))
        case .postgres(let row): try body(row.bytes(index).bindMemory(to: UInt8.self))
        case .none: try body(UnsafeBufferPointer(start: nil, count: 0))
        }
    }

    /// Lends the column's bytes to `body`, or an empty buffer for NULL.
    package func withBlob<Value>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Value) rethrows -> Value {
        guard case .sqlite(let statement) = source else { return try withText(body) }
        let start = sqlite3_column_blob(statement, index)
        return try body(Self.bytes(statement, index, from: start?.assumingMemoryBound(to: UInt8.self)))
    }

    /// Returns the bytes of an SQLite column, which begin at `start`.
    ///
    /// The caller asks SQLite for `start` first, because only then does SQLite report the right number of bytes.
    private static func bytes(
        _ statement: OpaquePointer,
        _ index: Int32,
        from start: UnsafePointer<UInt8>?
    ) -> UnsafeBufferPointer<UInt8> {
        let count = start == nil ? 0 : Int(sqlite3_column_bytes(statement, index))
        return UnsafeBufferPointer(start: start, count: count)
    }
}

/// A row of a query's result, which is read column by column.
package struct Row {
    let source: RowSource
    let sql: SQL?
    private var column: Int32 = 0

    init(_ source: RowSource, _ sql: SQL?) {
        (self.source, self.sql) = (source, sql)
    }

    /// Reads the next column.
    package mutating func next<Value: ColumnValue>(_: Value.Type = Value.self) -> Value { Value(nextColumn()) }

    /// Returns the next column, whose bytes can then be read without a copy.
    package mutating func nextColumn() -> Column {
        defer { column += 1 }
        return Column(source: source, index: column)
    }

    /// Reads the next columns as a row of a table.
    package mutating func nextRow<Record: TableRow>(_: Record.Type = Record.self) -> Record {
        var mapper = ColumnMapper<Record>(reading: self)
        let record = Record.map(&mapper)
        self = mapper.row
        return record
    }
}
