import CPostgreSQL

/// The server's answer to one statement (`PGresult`): rows in binary form, and the number of changed rows.
package final class PostgresResult {
    let handle: OpaquePointer

    /// Takes ownership of a result, which is freed with `PQclear`.
    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQclear(handle) }

    /// The number of rows returned.
    package var count: Int { Int(PQntuples(handle)) }

    /// The number of rows that the statement changed (`PQcmdTuples`); 0 for a statement that changes none.
    package var changes: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

    /// The completed command (`PQcmdStatus`), such as `COMMIT`; a commit of a failed transaction is a `ROLLBACK`.
    var command: String { String(cString: PQcmdStatus(handle)) }

    /// The first row of a result in text form; empty without a row.
    package var texts: [String] {
        withExtendedLifetime(self) {
            guard count > 0 else { return [] }
            let row = row(0)
            return (0..<PQnfields(handle)).map { String(decoding: row.bytes($0), as: UTF8.self) }
        }
    }

    /// Lends a row; it must not outlive the result.
    package func row(_ number: Int) -> PostgresRow { PostgresRow(result: handle, number: Int32(number)) }

    /// Lends row after row until `body` returns false.
    package func forEach(_ body: (PostgresRow) throws -> Bool) rethrows {
        try withExtendedLifetime(self) {
            for number in 0..<count {
                guard try body(row(number)) else { return }
            }
        }
    }
}

/// One row, lent by its result: a pointer and a number, so that passing it on costs nothing.
package struct PostgresRow {
    let result: OpaquePointer
    let number: Int32

    /// Returns whether a column is NULL.
    package func isNull(_ column: Int32) -> Bool { PQgetisnull(result, number, column) == 1 }

    /// Returns a column's integer, of any width, or 0 and 1 for a Boolean; 0 for NULL.
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

    /// Returns a column's number; 0 for NULL.
    package func double(_ column: Int32) -> Double {
        let bytes = bytes(column)
        guard bytes.count == 8 else { return 0 }
        return Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
    }

    /// Lends a column's bytes, or the UTF-8 of its text; none for NULL.
    package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(result, number, column),
            count: Int(PQgetlength(result, number, column))
        )
    }
}
