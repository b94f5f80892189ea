import Synchronization

/// A source of ids that never repeat and that sort by creation time.
///
/// Ids made together are stored together in the database's trees, so that devices registered in one run share pages.
/// The last two characters of a device's id are random, unless the caller chooses them: they are its shard.
package struct IDSource: Sendable {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    private static let hexDigits = Array("0123456789abcdef".utf8)

    private let slot: NodeSlot
    private var random: SystemRandomNumberGenerator
    private var stamps = Stamps()

    /// Makes a source; each thread has its own.
    ///
    /// In one of several processes on a database, all sources count together, so that no two ids of the database are
    /// equal; in a process that writes alone, random numbers keep its threads apart.
    package init(of slot: NodeSlot = .alone) {
        self.slot = slot
        random = SystemRandomNumberGenerator()
    }

    /// Makes an id: a prefix, 11 characters of time and counter, two hex digits, random or `shard`.
    package mutating func make(
        _ prefix: Character,
        at now: Instant,
        shard: UInt8? = nil
    ) -> String {
        var value = nextStamp(now)
        var body = [UInt8](repeating: 0, count: 13)
        for place in (0..<11).reversed() {
            body[place] = Self.alphabet[Int(value & 31)]
            value >>= 5
        }
        let last = shard ?? UInt8.random(in: 0...255, using: &random)
        body[11] = Self.hexDigits[Int(last >> 4)]
        body[12] = Self.hexDigits[Int(last & 15)]
        return "\(prefix)-" + String(decoding: body, as: UTF8.self)
    }

    /// Returns a stamp: 42 bits of milliseconds, 13 bits that distinguish ids of one millisecond.
    private mutating func nextStamp(_ now: Instant) -> UInt64 {
        guard slot != .alone else {
            let start = stamps.isBehind(now) ? UInt64.random(in: 0..<(1 << (Stamps.bits - 1)), using: &random) : 0
            return stamps.next(now, from: start, step: 1)
        }
        return Self.shared.withLock { $0.next(now, from: UInt64(slot.number), step: UInt64(NodeSlot.count)) }
    }

    /// The stamps of one of several processes on a database.
    private static let shared = Mutex(Stamps())

    /// The last stamp.
    private struct Stamps {
        static let bits: UInt64 = 13
        private var millisecond: UInt64 = 0
        private var counter: UInt64 = 0

        /// Returns whether a moment's millisecond has no stamp yet.
        func isBehind(_ now: Instant) -> Bool { UInt64(clamping: now.milliseconds) > millisecond }

        /// Returns the next stamp: `start` in a new millisecond, else the last one plus `step`.
        mutating func next(_ now: Instant, from start: UInt64, step: UInt64) -> UInt64 {
            if isBehind(now) {
                millisecond = UInt64(clamping: now.milliseconds)
                counter = start
            } else {
                counter += step
                if counter >> Self.bits != 0 {
                    // The millisecond has no more ids: borrow from the next one.
                    millisecond += 1
                    counter &= step - 1
                }
            }
            return (millisecond & ((1 << 42) - 1)) << Self.bits | counter
        }
    }
}
