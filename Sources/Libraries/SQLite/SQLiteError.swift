import CSQLite

/// An error of SQLite.
package struct SQLiteError: Error, Equatable, CustomStringConvertible {
    /// The extended result code (https://www.sqlite.org/rescode.html).
    package let code: Int32
    /// SQLite's explanation, which can name tables and columns but never contains a value.
    package let message: String

    /// Makes an error with SQLite's general explanation of a code.
    package init(code: Int32) { self.init(code: code, message: String(cString: sqlite3_errstr(code))) }

    init(code: Int32, message: String) {
        (self.code, self.message) = (code, message)
    }

    /// Reads the last error of a connection.
    init(of handle: OpaquePointer?) {
        self.init(code: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)))
    }

    /// The error for a row that refers to a missing row (`SQLITE_CONSTRAINT_FOREIGNKEY`).
    package static let missingReference = SQLiteError(code: SQLITE_CONSTRAINT | 3 << 8)

    /// The primary result code, such as `SQLITE_BUSY`.
    package var primaryCode: Int32 { code & 0xff }

    package var description: String { "\(message) (\(code): \(String(cString: sqlite3_errstr(code))))" }
}
