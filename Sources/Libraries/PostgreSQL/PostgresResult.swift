import CPostgreSQL

/// The server's answer to a statement (`PGresult`), with rows in binary form.
package final class PostgresResult {
    let handle: OpaquePointer

    /// Takes ownership of a result, which is freed with `PQclear`.
    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQclear(handle) }

    /// The number of rows in the result.
    package var count: Int { Int(PQntuples(handle)) }

    /// The number of rows that the statement changed (`PQcmdTuples`), or 0 if the server sent no number.
    package var changes: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

    /// The name of the completed command (`PQcmdStatus`), such as `COMMIT`.
    ///
    /// After the commit of a failed transaction, the name is `ROLLBACK`.
    var command: String { String(cString: PQcmdStatus(handle)) }

    /// The first row in text form, or empty if there are no rows.
    package var texts: [String] {
        withExtendedLifetime(self) {
            guard count > 0 else { return [] }
            let row = row(0)
            return (0..<PQnfields(handle)).map { String(decoding: row.bytes($0), as: UTF8.self) }
        }
    }

    /// Returns a row, which must not be used after the result is freed.
    package func row(_ number: Int) -> PostgresRow { PostgresRow(result: handle, number: Int32(number)) }

    /// Calls `body` with each row until `body` returns false.
    package func forEach(_ body: (PostgresRow) throws -> Bool) rethrows {
        try withExtendedLifetime(self) {
            for number in 0..<count { guard try body(row(number)) else { return } }
        }
    }
}

/// A row of a result.
///
/// The row consists only of a pointer to the result and the row's number, so it is cheap to copy.
package struct PostgresRow {
    let result: OpaquePointer
    let number: Int32

    /// Returns whether a column is NULL.
    package func isNull(_ column: Int32) -> Bool { PQgetisnull(result, number, column) == 1 }

    /// Returns the value of an integer or Boolean column.
    ///
    /// True is returned as 1. False and NULL are returned as 0.
    package func integer(_ column: Int32) -> Int64 {
        let bytes = bytes(column)
        switch bytes.count {
        case 8: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        case 4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case 2: return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        case 1: return Int64(bytes[0])
        default: return 0
        }
    }

    /// Returns the value of a `double precision` column, or 0 for NULL.
    package func double(_ column: Int32) -> Double {
        let bytes = bytes(column)
        guard bytes.count == 8 else { return 0 }
        return Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
    }

    /// Returns a column's bytes, or its text in UTF-8.
    ///
    /// The buffer is empty for NULL.
    package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(result, number, column),
            count: Int(PQgetlength(result, number, column))
        )
    }
}
