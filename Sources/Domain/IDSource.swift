import Synchronization

/// A source of ids that never repeat and that sort by creation time.
///
/// Ids made at about the same time are close together in the database's indexes, so that devices registered together
/// share pages. The last two characters of a device's id are its shard. These two characters are random unless the
/// caller chooses them.
package struct IDSource: Sendable {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    private static let hexDigits = Array("0123456789abcdef".utf8)

    private let slot: NodeSlot
    private var random: SystemRandomNumberGenerator
    private var stamps = Stamps()

    /// Makes a source; each thread has its own.
    ///
    /// If several processes use one database, all sources of a process share one counter, so that no two ids in the
    /// database are equal. If a process is the only one, each source starts at a random number, so that the ids of its
    /// threads differ.
    package init(of slot: NodeSlot = .alone) {
        self.slot = slot
        random = SystemRandomNumberGenerator()
    }

    /// Makes an id of a prefix, 11 characters for time and counter, and two hex digits, which are random or the given
    /// `shard`.
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

    /// Returns a stamp of 42 bits for the time in milliseconds and 13 bits that distinguish the ids of one millisecond.
    private mutating func nextStamp(_ now: Instant) -> UInt64 {
        guard slot != .alone else {
            let start = stamps.isBehind(now) ? UInt64.random(in: 0..<(1 << (Stamps.bits - 1)), using: &random) : 0
            return stamps.next(now, from: start, step: 1)
        }
        return Self.shared.withLock { $0.next(now, from: UInt64(slot.number), step: UInt64(NodeSlot.count)) }
    }

    /// The stamps of this process if several processes use one database.
    private static let shared = Mutex(Stamps())

    /// The last stamp that was given out.
    private struct Stamps {
        static let bits: UInt64 = 13
        private var millisecond: UInt64 = 0
        private var counter: UInt64 = 0

        /// Returns whether the last stamp's millisecond is earlier than a moment.
        func isBehind(_ now: Instant) -> Bool { UInt64(clamping: now.milliseconds) > millisecond }

        /// Returns the next stamp, whose counter is `start` in a new millisecond, or else the last counter plus `step`.
        mutating func next(_ now: Instant, from start: UInt64, step: UInt64) -> UInt64 {
            if isBehind(now) {
                millisecond = UInt64(clamping: now.milliseconds)
                counter = start
            } else {
                counter += step
                if counter >> Self.bits != 0 {
                    // All numbers of this millisecond are used, so the next millisecond's numbers are taken.
                    millisecond += 1
                    counter &= step - 1
                }
            }
            return (millisecond & ((1 << 42) - 1)) << Self.bits | counter
        }
    }
}
