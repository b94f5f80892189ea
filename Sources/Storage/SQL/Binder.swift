import GRDBSQLite

/// Gives a statement its parameters, in the order of `$1`, `$2`, ….
///
/// SQLite takes `$1` for a name and numbers names by first appearance, so in every statement the
/// first appearances ascend; a test keeps watch.
package struct Binder {
    private let statement: OpaquePointer
    private var index: Int32 = 0
    /// Tells SQLite to copy what it is given.
    private static let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ statement: OpaquePointer) {
        self.statement = statement
    }

    /// Binds an integer; NULL for nil.
    package mutating func add(_ value: Int64?) {
        index += 1
        if let value {
            sqlite3_bind_int64(statement, index, value)
        } else {
            sqlite3_bind_null(statement, index)
        }
    }

    /// Binds an integer.
    package mutating func add(_ value: Int) { add(Int64(value)) }

    /// Binds a number; NULL for nil.
    package mutating func add(_ value: Double?) {
        index += 1
        if let value {
            sqlite3_bind_double(statement, index, value)
        } else {
            sqlite3_bind_null(statement, index)
        }
    }

    /// Binds a Boolean as 0 or 1.
    package mutating func add(_ value: Bool) { add(value ? 1 : 0 as Int64) }

    /// Binds a text; NULL for nil.
    package mutating func add(_ value: String?) {
        index += 1
        guard var value else {
            sqlite3_bind_null(statement, index)
            return
        }
        _ = value.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { text in
                // A nil pointer would bind NULL where the text is empty.
                if let base = text.baseAddress {
                    sqlite3_bind_text(statement, index, base, Int32(text.count), Self.copy)
                } else {
                    sqlite3_bind_text(statement, index, "", 0, Self.copy)
                }
            }
        }
    }

    /// Binds UTF-8 bytes as a text.
    package mutating func add(text: [UInt8]) {
        index += 1
        text.withUnsafeBytes { bytes in
            let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            if let base {
                sqlite3_bind_text(statement, index, base, Int32(bytes.count), Self.copy)
            } else {
                sqlite3_bind_text(statement, index, "", 0, Self.copy)
            }
        }
    }

    /// Binds bytes; NULL for nil.
    package mutating func add(bytes: [UInt8]?) {
        index += 1
        guard let bytes else {
            sqlite3_bind_null(statement, index)
            return
        }
        if bytes.isEmpty {
            sqlite3_bind_zeroblob(statement, index, 0)
        } else {
            sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), Self.copy)
        }
    }
}

/// One row of a result, read by column, from 0.
package struct Row {
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) {
        self.statement = statement
    }

    /// Tells whether a column is NULL.
    package func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    /// Returns an integer; 0 for NULL.
    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    /// Returns an integer or nil for NULL.
    package func optionalInteger(_ column: Int32) -> Int64? {
        isNull(column) ? nil : integer(column)
    }

    /// Returns a number or nil for NULL.
    package func optionalDouble(_ column: Int32) -> Double? {
        isNull(column) ? nil : sqlite3_column_double(statement, column)
    }

    /// Returns a Boolean kept as 0 or 1.
    package func bool(_ column: Int32) -> Bool { integer(column) != 0 }

    /// Returns a text; empty for NULL.
    package func text(_ column: Int32) -> String {
        withBytes(column, text: true) { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns a text or nil for NULL.
    package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// Returns bytes; empty for NULL.
    package func bytes(_ column: Int32) -> [UInt8] { withBytes(column, text: false) { Array($0) } }

    /// Returns bytes or nil for NULL.
    package func optionalBytes(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : bytes(column) }

    /// Lends a text's or blob's bytes without copying them.
    package func withBytes<Value>(
        _ column: Int32,
        text: Bool,
        _ body: (UnsafeBufferPointer<UInt8>) -> Value
    ) -> Value {
        let base =
            text
            ? sqlite3_column_text(statement, column)
            : sqlite3_column_blob(statement, column)?.assumingMemoryBound(to: UInt8.self)
        let count = Int(sqlite3_column_bytes(statement, column))
        return body(UnsafeBufferPointer(start: base, count: base == nil ? 0 : count))
    }
}
