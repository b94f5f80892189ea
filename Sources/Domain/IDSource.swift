import Synchronization

/// A source of unique ids that sort by creation time.
///
/// Ids from about the same time are close together in the database's indexes. Devices that are registered together thus
/// share index pages. The last two characters of a device's id are its shard. The shard is random unless the caller
/// chooses it.
package struct IDSource: Sendable {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    private static let hexDigits = Array("0123456789abcdef".utf8)

    private let slot: NodeSlot
    private var random: SystemRandomNumberGenerator
    private var stamps = Stamps()

    /// Makes a source for one thread.
    ///
    /// If several processes use one database, all sources of a process share one counter. The lowest six bits of this
    /// counter are the process's slot. Thus, no two ids are equal. With only one process, each source has its own
    /// counter, which starts each millisecond at a random number. Equal ids are then very unlikely.
    package init(of slot: NodeSlot = .alone) {
        self.slot = slot
        random = SystemRandomNumberGenerator()
    }

    /// Makes an id: a prefix, 11 characters of time and counter, and two hex digits of the shard.
    package mutating func make(_ prefix: Character, at now: Instant, shard: UInt8? = nil) -> String {
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

    /// Returns a stamp: 42 bits for the millisecond, and 13 bits for a counter.
    private mutating func nextStamp(_ now: Instant) -> UInt64 {
        guard slot != .alone else {
            let start = stamps.isBehind(now) ? UInt64.random(in: 0..<(1 << (Stamps.bits - 1)), using: &random) : 0
            return stamps.next(now, from: start, step: 1)
        }
        return Self.shared.withLock { $0.next(now, from: UInt64(slot.number), step: UInt64(NodeSlot.count)) }
    }

    /// The stamps that this process gives out if several processes use one database.
    private static let shared = Mutex(Stamps())

    /// The last stamp that was given out.
    private struct Stamps {
        static let bits: UInt64 = 13
        private var millisecond: UInt64 = 0
        private var counter: UInt64 = 0

        /// Returns whether the last stamp's millisecond is earlier than a given moment.
        func isBehind(_ now: Instant) -> Bool { UInt64(clamping: now.milliseconds) > millisecond }

        /// Returns the next stamp.
        ///
        /// In a new millisecond, the counter begins at `start`. Within a millisecond, each stamp raises the counter by
        /// `step`.
        mutating func next(_ now: Instant, from start: UInt64, step: UInt64) -> UInt64 {
            if isBehind(now) {
                millisecond = UInt64(clamping: now.milliseconds)
                counter = start
            } else {
                counter += step
                if counter >> Self.bits != 0 {
                    // All counter values of this millisecond are used up, so the stamp uses the next millisecond.
                    millisecond += 1
                    counter &= step - 1
                }
            }
            return (millisecond & ((1 << 42) - 1)) << Self.bits | counter
        }
    }
}
