import Glibc

/// Makes a benchmark's reports, which have about 90 bytes and three attributes, and are all different.
struct ReportStream {
    /// The sequence number of the first report.
    let first: Int
    private(set) var next: Int

    /// The smallest sequence number, which has as many digits as the largest.
    private static let firstSequence = 1_000_000_000
    /// The number of sequence numbers that are reserved for each second.
    ///
    /// A stream writes fewer reports than this in a second. A stream that begins in a later second therefore doesn't
    /// repeat the numbers of an earlier stream.
    private static let sequencesPerSecond = 100_000
    /// The number of seconds after which the sequence numbers repeat.
    ///
    /// With a value of 90,000, the largest sequence numbers would need more than ten digits.
    private static let secondsMax: Int64 = 80_000

    /// Begins a stream whose sequence numbers are unique for 22 hours.
    ///
    /// No two streams may begin in the same second.
    init(at milliseconds: Int64) {
        let second = Int(milliseconds / 1000 % Self.secondsMax)
        first = Self.firstSequence + second * Self.sequencesPerSecond
        next = first
    }

    /// Returns whether this stream has written a report with the given sequence number.
    func contains(_ sequence: Int) -> Bool { (first..<next).contains(sequence) }

    /// Replaces `bytes` with the next report, which requests a response if `id` isn't nil.
    mutating func write(at milliseconds: Int64, id: String?, into bytes: inout [UInt8]) {
        let sequence = next
        next += 1
        bytes.removeAll(keepingCapacity: true)
        bytes += "{".utf8
        if let id { bytes += "\"id\":\"\(id)\",".utf8 }
        // Converting these numbers to text allocates no memory: Swift stores short strings inline.
        bytes += "\"ts\":".utf8
        bytes += "\(milliseconds)".utf8
        bytes += ",\"data\":{\"sequence\":".utf8
        bytes += "\(sequence)".utf8
        bytes += ",\"temperature\":2".utf8
        bytes.append(UInt8(48 + sequence % 10))
        bytes += ".5,\"switchedOn\":".utf8
        bytes += sequence % 2 == 0 ? "false}}".utf8 : "true}}".utf8
    }

    /// Returns the sequence number in a report or status, or nil if it contains no sequence number.
    static func sequence(in payload: UnsafeRawBufferPointer) -> Int? {
        let name: StaticString = "\"sequence\":"
        let size = name.utf8CodeUnitCount
        var at = 0
        while at + size + 10 <= payload.count {
            if payload[at] == UInt8(ascii: "\""), let base = payload.baseAddress,
                memcmp(base + at, name.utf8Start, size) == 0
            {
                return payload[(at + size)..<(at + size + 10)].reduce(0) { $0 * 10 + Int($1) - 48 }
            }
            at += 1
        }
        return nil
    }
}
