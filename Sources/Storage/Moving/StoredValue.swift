import Sodium

/// A value of any column, as an engine stores it.
enum StoredValue: Sendable, Equatable {
    case null(ColumnType)
    case integer(Int64)
    case number(Double)
    /// The bytes of a string, which are UTF-8 unless the string was damaged.
    case text([UInt8])
    case bytes([UInt8])

    /// Reads the value of a column with the given type.
    init(_ column: Column, _ type: ColumnType) {
        guard !column.isNull else {
            self = .null(type)
            return
        }
        self =
            switch type {
            case .integer: .integer(column.integer)
            case .number: .number(column.double)
            case .text: .text(column.withText { Array($0) })
            case .bytes: .bytes(column.withBlob { Array($0) })
            }
    }

    func bind(to parameter: Parameter) {
        switch self {
        case .null(let type): parameter.setNull(type)
        case .integer(let value): parameter.set(value)
        case .number(let value): parameter.set(value)
        case .text(let value): value.withUnsafeBytes { parameter.set(text: $0) }
        case .bytes(let value): value.withUnsafeBytes { parameter.set(blob: $0) }
        }
    }

    /// The approximate size of the value in memory, in bytes.
    var size: Int {
        switch self {
        case .null, .integer, .number: 16
        case .text(let value), .bytes(let value): 16 + value.count
        }
    }

    /// The value in readable form, for an error message.
    var shown: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .text(let value): String(decoding: value.filter { $0 >= 32 }, as: UTF8.self)
        case .bytes(let value): Sodium.hex(value.prefix(16))
        }
    }

    /// For hashing, appends the value's type, its length if the type has no fixed length, and its bytes.
    fileprivate func append(to bytes: inout [UInt8]) {
        func append(_ number: UInt64) {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
            }
        }
        switch self {
        case .null: bytes.append(0)
        case .integer(let value):
            bytes.append(1)
            append(UInt64(bitPattern: value))
        case .number(let value):
            bytes.append(2)
            append(value.bitPattern)
        case .text(let value):
            bytes.append(3)
            append(UInt64(value.count))
            bytes += value
        case .bytes(let value):
            bytes.append(4)
            append(UInt64(value.count))
            bytes += value
        }
    }
}

/// The number of a table's rows, and their checksum.
///
/// The sum adds the first 8 bytes of each row's SHA-256 hash, modulo 2^64. So the order of the rows doesn't matter.
/// The hash depends on the values that `Row` returns, and not on how an engine stores them. So equal tables have the
/// same checksum in both engines.
package struct TableSum: Sendable, Equatable {
    /// The number of rows.
    package private(set) var rows: Int64 = 0
    /// The checksum of the rows.
    package private(set) var checksum: UInt64 = 0

    mutating func add(_ row: [StoredValue]) {
        var bytes: [UInt8] = []
        for value in row { value.append(to: &bytes) }
        rows += 1
        checksum &+= Sodium.sha256(bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
