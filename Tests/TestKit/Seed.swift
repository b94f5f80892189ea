/// A seeded random number generator (SplitMix64), so that a failing test can name what to repeat.
package struct Seed: RandomNumberGenerator {
    private var state: UInt64

    /// Creates a generator; the same seed gives the same numbers.
    package init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) }

    /// Returns the next number of the sequence.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Returns a number from 0 up to, but not including, the limit.
    package mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
