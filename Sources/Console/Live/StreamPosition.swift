import Sodium
import Workers

/// A stream's positions in the objects that it watches; `Last-Event-ID` restores these positions.
///
/// For a log, the position is the last row's number. For a state, it is a digest. A stream can thus resume after any
/// interruption, even a restart of the service. Each row of a log is reported once. If a state changes several times,
/// only the latest state is reported. A resumed stream misses a refusal if it occurred in the same millisecond as the
/// last reported refusal.
struct StreamPosition: Sendable, Equatable {
    private var numbers: [UInt32: Int64] = [:]

    /// The number of bytes that the id contains for each object.
    private static let entryBytes = 12

    /// Creates a position before all events.
    init() {}

    /// Creates the position that an id stands for, or a position before all events if the id is invalid.
    init(id: String) {
        guard let bytes = Sodium.bytes(base64: id), bytes.count % Self.entryBytes == 0,
            bytes.count <= Self.entryBytes * Watch.countMax
        else { return }
        for start in stride(from: 0, to: bytes.count, by: Self.entryBytes) {
            let key = bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let number = bytes[start + 4..<start + 12].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            numbers[key] = Int64(bitPattern: number)
        }
    }

    /// The position in an object's events; nil before the first event.
    subscript(_ watch: Watch) -> Int64? {
        get { numbers[Self.key(watch)] }
        set { numbers[Self.key(watch)] = newValue }
    }

    /// Removes the positions of objects that are no longer watched.
    mutating func keep(_ watches: [Watch]) {
        let keys = Set(watches.map(Self.key))
        numbers = numbers.filter { keys.contains($0.key) }
    }

    /// The event id that stands for this position.
    var id: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(numbers.count * Self.entryBytes)
        for (key, number) in numbers.sorted(by: { $0.key < $1.key }) {
            withUnsafeBytes(of: key.bigEndian) { bytes += $0 }
            withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
        }
        return Sodium.base64(bytes)
    }

    /// Returns the digest of an object's encoded state.
    static func digest(_ bytes: [UInt8]) -> Int64 {
        let first = Sodium.sha256(bytes).prefix(8)
        return Int64(bitPattern: first.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    private static func key(_ watch: Watch) -> UInt32 { FNV1a.hash32(watch.text.utf8) }
}
