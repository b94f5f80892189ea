/// Makes ids that never repeat and that sort by the time of their making.
///
/// Ids made together lie together in the store's trees, so that devices registered in one run share
/// pages. The last two characters of a device's id are random: they pick its shard.
package struct IDSource: Sendable {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    private static let hexDigits = Array("0123456789abcdef".utf8)
    private static let counterBits: UInt64 = 13

    private var random: SystemRandomNumberGenerator
    private var lastMillisecond: UInt64 = 0
    private var counter: UInt64 = 0

    /// Makes a source; each thread has its own.
    package init() {
        random = SystemRandomNumberGenerator()
    }

    /// Makes an id: a prefix, 11 characters of time and counter, two random hexadecimal digits.
    package mutating func make(_ prefix: Character, at now: Instant) -> String {
        var value = nextStamp(now)
        var body = [UInt8](repeating: 0, count: 13)
        for place in (0..<11).reversed() {
            body[place] = Self.alphabet[Int(value & 31)]
            value >>= 5
        }
        let shard = UInt8.random(in: 0...255, using: &random)
        body[11] = Self.hexDigits[Int(shard >> 4)]
        body[12] = Self.hexDigits[Int(shard & 15)]
        return "\(prefix)-" + String(decoding: body, as: UTF8.self)
    }

    /// Returns a stamp of 55 bits: milliseconds, then a counter that begins anywhere in its lower half.
    private mutating func nextStamp(_ now: Instant) -> UInt64 {
        let millisecond = UInt64(clamping: now.milliseconds)
        if millisecond > lastMillisecond {
            lastMillisecond = millisecond
            counter = UInt64.random(in: 0..<(1 << (Self.counterBits - 1)), using: &random)
        } else {
            counter += 1
            if counter >> Self.counterBits != 0 {
                // More ids than a millisecond holds: borrow from the next one.
                lastMillisecond += 1
                counter = 0
            }
        }
        return (lastMillisecond & ((1 << 42) - 1)) << Self.counterBits | counter
    }
}
