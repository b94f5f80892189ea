import CSQLite
import PostgreSQL

/// A plain pointer to the statement or the list that receives parameters; passing it on costs nothing.
enum ParameterTarget {
    /// An SQLite statement that is about to run.
    case sqlite(OpaquePointer)
    /// A PostgreSQL statement's list of parameters, which the caller keeps until all parameters are set.
    case postgres(Unmanaged<PostgresParameters>)

    init(_ parameters: PostgresParameters) { self = .postgres(Unmanaged.passUnretained(parameters)) }
}

/// The type of a column's value.
package enum ColumnType: Sendable {
    case integer
    case number
    case text
    case bytes

    fileprivate var postgres: PostgresType {
        switch self {
        case .integer: .integer
        case .number: .number
        case .text: .text
        case .bytes: .bytes
        }
    }
}

/// One parameter of a statement, counted from 1.
package struct Parameter {
    let target: ParameterTarget
    let index: Int32
    /// The value that makes SQLite copy a parameter's bytes.
    private static let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ target: ParameterTarget, _ index: Int32) {
        (self.target, self.index) = (target, index)
    }

    /// Sets the parameter to an integer.
    package func set(_ integer: Int64) {
        switch target {
        case .sqlite(let statement): sqlite3_bind_int64(statement, index, integer)
        case .postgres(let list): list.takeUnretainedValue().set(integer, at: Int(index))
        }
    }

    /// Sets the parameter to a floating-point number.
    package func set(_ double: Double) {
        switch target {
        case .sqlite(let statement): sqlite3_bind_double(statement, index, double)
        case .postgres(let list): list.takeUnretainedValue().set(double, at: Int(index))
        }
    }

    /// Sets the parameter to NULL, with the given type.
    package func setNull(_ type: ColumnType) {
        switch target {
        case .sqlite(let statement): sqlite3_bind_null(statement, index)
        case .postgres(let list):
            list.takeUnretainedValue().setNull(type.postgres, at: Int(index))
        }
    }

    /// Sets the parameter to a string, given as UTF-8.
    package func set(text: UnsafeRawBufferPointer) {
        switch target {
        case .sqlite(let statement):
            // An empty string is set separately: its pointer is nil, which would set NULL.
            guard let start = text.baseAddress else {
                sqlite3_bind_text(statement, index, "", 0, Self.copy)
                return
            }
            let characters = start.assumingMemoryBound(to: CChar.self)
            sqlite3_bind_text(statement, index, characters, Int32(text.count), Self.copy)
        case .postgres(let list): list.takeUnretainedValue().set(text, .text, at: Int(index))
        }
    }

    /// Sets the parameter to some bytes.
    package func set(blob: UnsafeRawBufferPointer) {
        switch target {
        case .sqlite(let statement):
            if blob.isEmpty {
                sqlite3_bind_zeroblob(statement, index, 0)
            } else {
                let count = Int32(blob.count)
                sqlite3_bind_blob(statement, index, blob.baseAddress, count, Self.copy)
            }
        case .postgres(let list): list.takeUnretainedValue().set(blob, .bytes, at: Int(index))
        }
    }
}
