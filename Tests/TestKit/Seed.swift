/// A random number generator (SplitMix64) with a seed, so that a failed test can be repeated.
package struct Seed: RandomNumberGenerator {
    private var state: UInt64

    /// Creates a generator that returns the same numbers for the same seed.
    package init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) }

    /// Returns the next random number.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Returns a random number that is at least 0 and less than the limit.
    package mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
