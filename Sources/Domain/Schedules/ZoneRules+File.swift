extension ZoneRules {
    /// Parses a TZif file (RFC 8536), or returns nil if it isn't valid.
    package init?(file bytes: [UInt8]) {
        guard var first = ZoneHeader(bytes, at: 0) else { return nil }
        if first.version >= 2 {
            // The second part is used, because the first part contains only 32-bit times.
            guard let second = ZoneHeader(bytes, at: first.end(timeSize: 4)) else { return nil }
            first = second
        }
        let timeSize = first.version >= 2 ? 8 : 4
        guard first.typeCount > 0, bytes.count >= first.end(timeSize: timeSize) else { return nil }
        var reader = ZoneReader(bytes, at: first.start)
        let times = (0..<first.timeCount).map { _ in reader.integer(timeSize) }
        let kinds = (0..<first.timeCount).map { _ in Int(reader.byte()) }
        let offsets = (0..<first.typeCount).map { _ in
            let offset = reader.integer(4)
            reader.skip(2)
            return offset
        }
        guard kinds.allSatisfy({ $0 < offsets.count }) else { return nil }
        let known = zip(times, kinds).map { Transition(at: $0, offset: offsets[$1]) }
        guard zip(known, known.dropFirst()).allSatisfy({ $0.at < $1.at }) else { return nil }
        self.init(
            firstOffset: offsets[0],
            known: known,
            later: Self.footer(bytes, from: first.end(timeSize: timeSize), first.version)
        )
    }

    /// Returns the rule on the line that follows the file's data.
    private static func footer(_ bytes: [UInt8], from start: Int, _ version: Int) -> ZoneFooter? {
        guard version >= 2, start < bytes.count, bytes[start] == 0x0A else { return nil }
        let line = bytes[(start + 1)...].prefix { $0 != 0x0A }
        return ZoneFooter(Array(line))
    }
}

/// The header of a part of a TZif file, with the counts of the part's items.
private struct ZoneHeader {
    var version: Int
    var start: Int
    var timeCount: Int
    var typeCount: Int
    private var rest: (isUTC: Int, isStandard: Int, leaps: Int, names: Int)
    private static let size = 44
    private static let countMax = 1 << 16

    init?(_ bytes: [UInt8], at offset: Int) {
        guard bytes.count >= offset + Self.size, bytes[offset..<(offset + 4)].elementsEqual("TZif".utf8) else {
            return nil
        }
        let digit = bytes[offset + 4]
        version = digit == 0 ? 1 : Int(digit) - 48
        var reader = ZoneReader(bytes, at: offset + 20)
        let counts = (0..<6).map { _ in Int(reader.integer(4)) }
        guard counts.allSatisfy({ (0...Self.countMax).contains($0) }) else { return nil }
        rest = (counts[0], counts[1], counts[2], counts[5])
        timeCount = counts[3]
        typeCount = counts[4]
        start = offset + Self.size
    }

    /// Returns the position in the file at which the part ends.
    func end(timeSize: Int) -> Int {
        start + timeCount * (timeSize + 1) + typeCount * 6 + rest.names
            + rest.leaps * (timeSize + 4) + rest.isStandard + rest.isUTC
    }
}

/// A reader of successive big-endian numbers.
///
/// The reader doesn't check for the end of the bytes. Its caller has checked that there are enough of them.
private struct ZoneReader {
    private let bytes: [UInt8]
    private var place: Int

    init(_ bytes: [UInt8], at place: Int) {
        (self.bytes, self.place) = (bytes, place)
    }

    mutating func byte() -> UInt8 {
        defer { place += 1 }
        return bytes[place]
    }

    mutating func integer(_ size: Int) -> Int64 {
        let isNegative = bytes[place] & 0x80 != 0
        var value: Int64 = isNegative ? -1 : 0
        for _ in 0..<size { value = value << 8 | Int64(byte()) }
        return value
    }

    mutating func skip(_ count: Int) { place += count }
}
