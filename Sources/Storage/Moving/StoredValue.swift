import Sodium

/// A value of a row as an engine stores it, of any column.
enum StoredValue: Sendable, Equatable {
    case null(ColumnType)
    case integer(Int64)
    case number(Double)
    /// UTF-8, unless it was damaged.
    case text([UInt8])
    case bytes([UInt8])

    /// Reads a column of a type.
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

    /// The approximate size in memory, in bytes.
    var size: Int {
        switch self {
        case .null, .integer, .number: 16
        case .text(let value), .bytes(let value): 16 + value.count
        }
    }

    /// The readable value, for an error.
    var shown: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .text(let value): String(decoding: value.filter { $0 >= 32 }, as: UTF8.self)
        case .bytes(let value): Sodium.hex(value.prefix(16))
        }
    }

    /// Appends the value to the bytes to hash: a byte for its type, its length if that varies, and its bytes.
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
/// The checksum is the sum, modulo 2^64, of the first 8 bytes of the SHA-256 of each row as our `Row` reads it, so that
/// the order of the rows doesn't matter.
package struct TableSum: Sendable, Equatable {
    /// The number of rows.
    package private(set) var rows: Int64 = 0
    /// Their checksum.
    package private(set) var checksum: UInt64 = 0

    mutating func add(_ row: [StoredValue]) {
        var bytes: [UInt8] = []
        for value in row { value.append(to: &bytes) }
        rows += 1
        checksum &+= Sodium.sha256(bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
