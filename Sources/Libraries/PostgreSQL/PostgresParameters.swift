/// The type of a parameter, with the type's number in the server's catalogue.
package enum PostgresType: UInt32, Sendable {
    /// `bytea`.
    case bytes = 17
    /// `bigint`.
    case integer = 20
    /// `text`.
    case text = 25
    /// `double precision`.
    case number = 701
}

/// The parameters of a statement in the server's binary form, each with its type.
///
/// The types are always sent. Without them, the server couldn't determine a type for `$1 IS NULL`. It would also assume
/// 32 bits for `1000 * $1`. Parameters are numbered from 1 and may be set in any order.
package final class PostgresParameters {
    private(set) var types: [UInt32] = []
    /// The offset of each value in `bytes`, or a negative number for NULL.
    private var starts: [Int] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []
    private var bytes: [UInt8] = []

    /// Makes an empty list of parameters.
    package init() {}

    /// Removes all parameters, and keeps the memory.
    package func removeAll() {
        types.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        formats.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Sets an integer.
    package func set(_ integer: Int64, at number: Int) {
        withUnsafeBytes(of: integer.bigEndian) { set($0, .integer, at: number) }
    }

    /// Sets a number.
    package func set(_ double: Double, at number: Int) {
        withUnsafeBytes(of: double.bitPattern.bigEndian) { set($0, .number, at: number) }
    }

    /// Sets a parameter to bytes, or to a string that is given as UTF-8.
    package func set(_ content: UnsafeRawBufferPointer, _ type: PostgresType, at number: Int) {
        place(number, type, start: bytes.count, length: Int32(content.count))
        bytes.append(contentsOf: content)
    }

    /// Sets NULL.
    package func setNull(_ type: PostgresType, at number: Int) { place(number, type, start: -1, length: 0) }

    private func place(_ number: Int, _ type: PostgresType, start: Int, length: Int32) {
        while types.count < number {
            types.append(0)
            starts.append(-1)
            lengths.append(0)
            formats.append(1)
        }
        types[number - 1] = type.rawValue
        starts[number - 1] = start
        lengths[number - 1] = length
    }

    /// The parameters in libpq's form, valid only during one call.
    struct Lent {
        let count: Int32
        let values: UnsafePointer<UnsafePointer<CChar>?>?
        let lengths: UnsafePointer<Int32>?
        let formats: UnsafePointer<Int32>?
    }

    func lend<Value>(_ body: (Lent) -> Value) -> Value {
        // Even an empty value needs an address, because a value without an address would be NULL.
        if bytes.isEmpty { bytes.append(0) }
        return bytes.withUnsafeBytes { bytes in
            let base = bytes.bindMemory(to: CChar.self).baseAddress
            let values = starts.map { start in start < 0 ? nil : base.map { $0 + start } }
            return values.withUnsafeBufferPointer { values in
                lengths.withUnsafeBufferPointer { lengths in
                    formats.withUnsafeBufferPointer { formats in
                        body(
                            Lent(
                                count: Int32(types.count),
                                values: values.baseAddress,
                                lengths: lengths.baseAddress,
                                formats: formats.baseAddress
                            )
                        )
                    }
                }
            }
        }
    }
}
