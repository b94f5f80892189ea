/// Packets made beforehand, alike but for the numbers in them, so that sending costs next to nothing.
struct HostileChunk {
    /// The packets, one behind the other.
    private(set) var bytes: [UInt8]
    let packetBytes: Int
    /// The number of packets.
    let count: Int
    /// Runs of `#` in the first packet: a number stands there instead.
    private let places: [Range<Int>]
    private let identifier: Int?

    private static let bytesMax = 64 << 10
    private static let digitsMin = 8

    /// Repeats a packet in which runs of `#` stand for its number; `identifier` is the place of its
    /// packet identifier.
    init(_ packet: [UInt8], identifier: Int? = nil, countMax: Int = .max) {
        packetBytes = packet.count
        count = max(1, min(Self.bytesMax / packet.count, countMax))
        bytes = []
        bytes.reserveCapacity(packet.count * count)
        for _ in 0..<count { bytes += packet }
        places = Self.runs(in: packet)
        self.identifier = identifier
    }

    private static func runs(in packet: [UInt8]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var rest = packet[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "#")) {
            let end = rest[start...].firstIndex { $0 != UInt8(ascii: "#") } ?? rest.endIndex
            // A shorter one may be a length that happens to be this byte.
            if end - start >= Self.digitsMin { runs.append(start..<end) }
            rest = packet[end...]
        }
        return runs
    }

    /// Writes numbers into the first packets.
    mutating func number(from first: Int, count: Int) {
        let (places, identifier, size) = (places, identifier, packetBytes)
        bytes.withUnsafeMutableBufferPointer { bytes in
            for index in 0..<count {
                let start = index * size
                for place in places {
                    var rest = first + index
                    var at = place.upperBound - 1
                    while at >= place.lowerBound {
                        bytes[start + at] = UInt8(48 + rest % 10)
                        rest /= 10
                        at -= 1
                    }
                }
                guard let identifier else { continue }
                let mid = (first + index) % 65_535 + 1
                bytes[start + identifier] = UInt8(mid >> 8)
                bytes[start + identifier + 1] = UInt8(mid & 255)
            }
        }
    }
}
