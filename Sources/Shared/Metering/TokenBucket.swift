/// A bucket of tokens that fills at a steady rate up to its brim; each passing message takes tokens out.
///
/// Counts in thousandths, so that at one token a second each millisecond adds one. It never allocates.
package struct TokenBucket: Sendable, Equatable {
    private let perSecond: Int64
    private let brim: Int64
    private var tokens: Int64
    private var filledAt: Int64

    /// More than any setting allows, and few enough that the calculations below never overflow.
    private static let most: Int64 = 1_000_000_000
    /// The longest rest that fills the bucket: an hour.
    private static let restMax: Int64 = 3_600_000

    /// Starts full at `now`, in milliseconds on a clock that is never set back; a rate of 0 sets no limit.
    package init(perSecond: Int, burst: Int, now: Int64) {
        self.perSecond = min(max(0, Int64(perSecond)), Self.most)
        let burst = burst > 0 ? Int64(burst) : self.perSecond
        brim = min(burst, Self.most) &* 1_000
        tokens = brim
        filledAt = now
    }

    /// Adds the tokens of the time since the last call.
    package mutating func fill(at now: Int64) {
        let rest = min(max(0, now &- filledAt), Self.restMax)
        filledAt = now
        tokens = min(brim, tokens &+ rest &* perSecond)
    }

    /// Returns whether the bucket, as last filled, has `count` tokens.
    package func has(_ count: Int) -> Bool { perSecond == 0 || tokens >= min(Int64(count), Self.most) &* 1_000 }

    /// Takes tokens out, after `has` returned true for them.
    package mutating func take(_ count: Int) {
        guard perSecond > 0 else { return }
        tokens &-= min(Int64(count), Self.most) &* 1_000
    }

    /// Takes tokens out even if they are missing; the debt is at most the tokens of one second.
    package mutating func owe(_ count: Int) {
        guard perSecond > 0 else { return }
        tokens = max(perSecond &* -1_000, tokens &- min(Int64(count), Self.most) &* 1_000)
    }

    /// Whether the bucket is as full as at the beginning.
    package var isFull: Bool { tokens == brim }
}
