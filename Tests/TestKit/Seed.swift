/// Random numbers that a seed decides, so that a failing test names what to repeat (SplitMix64).
package struct Seed: RandomNumberGenerator {
    private var state: UInt64

    /// Begins at a seed: the same numbers each time.
    package init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) }

    /// The next number of the sequence.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// A number from 0 on, below the limit.
    package mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
