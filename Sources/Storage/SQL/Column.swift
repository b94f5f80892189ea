import GRDBSQLite

/// One column of the row that a statement stands at; without a statement, a column that holds nothing.
package struct Column {
    let statement: OpaquePointer?
    let index: Int32

    /// Whether it holds nothing.
    package var isNull: Bool { sqlite3_column_type(statement, index) == SQLITE_NULL }
    /// Its integer; 0 for nothing.
    package var integer: Int64 { sqlite3_column_int64(statement, index) }
    /// Its number; 0 for nothing.
    package var double: Double { sqlite3_column_double(statement, index) }

    /// Lends the UTF-8 bytes of its text without copying them; none for nothing.
    package func withText<Value>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Value
    ) rethrows
        -> Value
    {
        try body(bytes(from: sqlite3_column_text(statement, index)))
    }

    /// Lends its bytes without copying them; none for nothing.
    package func withBlob<Value>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Value
    ) rethrows
        -> Value
    {
        let start = sqlite3_column_blob(statement, index)
        return try body(bytes(from: start?.assumingMemoryBound(to: UInt8.self)))
    }

    /// The engine knows the length only once it was asked for the bytes.
    private func bytes(from start: UnsafePointer<UInt8>?) -> UnsafeBufferPointer<UInt8> {
        let count = start == nil ? 0 : Int(sqlite3_column_bytes(statement, index))
        return UnsafeBufferPointer(start: start, count: count)
    }
}

/// One parameter of a statement that is about to run.
package struct Parameter {
    let statement: OpaquePointer
    let index: Int32
    /// Tells SQLite to copy what it is given.
    private static let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    /// Sets an integer.
    package func set(_ integer: Int64) { sqlite3_bind_int64(statement, index, integer) }
    /// Sets a number.
    package func set(_ double: Double) { sqlite3_bind_double(statement, index, double) }
    /// Sets NULL.
    package func setNull() { sqlite3_bind_null(statement, index) }

    /// Sets a text, given as UTF-8.
    package func set(text: UnsafeRawBufferPointer) {
        // A nil pointer would set NULL where the text is empty.
        guard let start = text.baseAddress else {
            sqlite3_bind_text(statement, index, "", 0, Self.copy)
            return
        }
        let characters = start.assumingMemoryBound(to: CChar.self)
        sqlite3_bind_text(statement, index, characters, Int32(text.count), Self.copy)
    }

    /// Sets bytes.
    package func set(blob: UnsafeRawBufferPointer) {
        if blob.isEmpty {
            sqlite3_bind_zeroblob(statement, index, 0)
        } else {
            sqlite3_bind_blob(statement, index, blob.baseAddress, Int32(blob.count), Self.copy)
        }
    }
}

/// A row of a result, read column after column.
package struct Row {
    let statement: OpaquePointer?
    let sql: SQL?
    private var column: Int32 = 0

    init(_ statement: OpaquePointer?, _ sql: SQL?) {
        self.statement = statement
        self.sql = sql
    }

    /// Reads the next column.
    package mutating func next<Value: ColumnValue>(_: Value.Type = Value.self) -> Value {
        Value(nextColumn())
    }

    /// Lends the next column, to be read without a copy.
    package mutating func nextColumn() -> Column {
        defer { column += 1 }
        return Column(statement: statement, index: column)
    }

    /// Reads the next columns, as many as a table has, as one of its rows.
    package mutating func nextRow<Record: TableRow>(_: Record.Type = Record.self) -> Record {
        var mapper = ColumnMapper<Record>(reading: self)
        let record = Record.map(&mapper)
        self = mapper.row
        return record
    }
}
