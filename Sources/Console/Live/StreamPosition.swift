import Sodium

/// How far a stream is with each thing that it watches: what `Last-Event-ID` brings back.
///
/// Of a log the number of its last row, of a state a digest of it. So a stream goes on after any break, of the service too:
/// each row of a log is told once, and of a state the latest; of refusals one of the same millisecond may be left out.
struct StreamPosition: Sendable, Equatable {
    private var numbers: [UInt32: Int64] = [:]

    /// Bytes of one thing in the id.
    private static let entryBytes = 12

    /// Knows nothing.
    init() {}

    /// Reads an id; one that is none knows nothing.
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

    /// How far it is with a thing; nil before its first event.
    subscript(_ watch: Watch) -> Int64? {
        get { numbers[Self.key(watch)] }
        set { numbers[Self.key(watch)] = newValue }
    }

    /// Forgets what is no longer watched.
    mutating func keep(_ watches: [Watch]) {
        let keys = Set(watches.map(Self.key))
        numbers = numbers.filter { keys.contains($0.key) }
    }

    /// The id of an event after which a stream is here.
    var id: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(numbers.count * Self.entryBytes)
        for (key, number) in numbers.sorted(by: { $0.key < $1.key }) {
            withUnsafeBytes(of: key.bigEndian) { bytes += $0 }
            withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
        }
        return Sodium.base64(bytes)
    }

    /// The digest of a state.
    static func digest(_ bytes: [UInt8]) -> Int64 {
        let first = Sodium.sha256(bytes).prefix(8)
        return Int64(bitPattern: first.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// FNV-1a of the term.
    private static func key(_ watch: Watch) -> UInt32 {
        watch.text.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }
}
