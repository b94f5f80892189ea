/// A bucket of tokens that fills at a steady rate up to a maximum, and from which each message takes tokens.
///
/// Tokens are counted in thousandths. At one token per second, each millisecond adds one thousandth. Times are
/// milliseconds on a clock that is never set back. The code never allocates memory.
package struct TokenBucket: Sendable, Equatable {
    private let perSecond: Int64
    private let brim: Int64
    private var tokens: Int64
    private var filledAt: Int64

    /// The maximum rate and burst: no setting allows more, and the value is too small to cause an overflow.
    private static let most: Int64 = 1 << 30
    /// The longest time for which one call adds tokens, in milliseconds: one hour.
    private static let restMax: Int64 = 3_600_000

    /// Makes a full bucket, with no limit if the rate is 0.
    package init(perSecond: Int, burst: Int, now: Int64) {
        self.perSecond = min(max(0, Int64(perSecond)), Self.most)
        let burst = burst > 0 ? Int64(burst) : self.perSecond
        brim = min(burst, Self.most) &* 1_000
        tokens = brim
        filledAt = now
    }

    /// Adds the tokens for the time since the last call.
    package mutating func fill(at now: Int64) {
        let rest = min(max(0, now &- filledAt), Self.restMax)
        filledAt = now
        tokens = min(brim, tokens &+ rest &* perSecond)
    }

    /// Returns whether the bucket had `count` tokens when it was last filled.
    package func has(_ count: Int) -> Bool { perSecond == 0 || tokens >= min(Int64(count), Self.most) &* 1_000 }

    /// Takes tokens, after the caller has checked with `has` that there are enough.
    package mutating func take(_ count: Int) {
        guard perSecond > 0 else { return }
        tokens &-= min(Int64(count), Self.most) &* 1_000
    }

    /// Takes tokens even if there are too few; the debt is at most the tokens of one second.
    package mutating func owe(_ count: Int) {
        guard perSecond > 0 else { return }
        tokens = max(perSecond &* -1_000, tokens &- min(Int64(count), Self.most) &* 1_000)
    }

    /// Whether the bucket is completely full.
    package var isFull: Bool { tokens == brim }
}
