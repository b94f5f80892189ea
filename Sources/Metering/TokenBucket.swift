/// A bucket that fills at a steady rate up to its brim, and from which what passes is taken.
///
/// Counts in thousandths, so that a millisecond of one a second is worth something. Never allocates.
package struct TokenBucket: Sendable, Equatable {
    private let perSecond: Int64
    private let brim: Int64
    private var tokens: Int64
    private var filledAt: Int64

    /// More than any setting allows, and little enough never to overflow with what follows.
    private static let most: Int64 = 1_000_000_000
    /// A longer rest fills no more: an hour.
    private static let restMax: Int64 = 3_600_000

    /// Starts full at `now`, in milliseconds on a clock that is never set back; a rate of 0 sets no limit.
    package init(perSecond: Int, burst: Int, now: Int64) {
        self.perSecond = min(max(0, Int64(perSecond)), Self.most)
        let burst = burst > 0 ? Int64(burst) : self.perSecond
        brim = min(burst, Self.most) &* 1_000
        tokens = brim
        filledAt = now
    }

    /// Fills it with what has come since the last time.
    package mutating func fill(at now: Int64) {
        let rest = min(max(0, now &- filledAt), Self.restMax)
        filledAt = now
        tokens = min(brim, tokens &+ rest &* perSecond)
    }

    /// Whether so much is in it, as it was filled last.
    package func has(_ count: Int) -> Bool {
        perSecond == 0 || tokens >= min(Int64(count), Self.most) &* 1_000
    }

    /// Takes so much out of it, after `has` said that it is there.
    package mutating func take(_ count: Int) {
        guard perSecond > 0 else { return }
        tokens &-= min(Int64(count), Self.most) &* 1_000
    }

    /// Takes so much out of it whether it is there or not; the debt is at most what a second brings.
    package mutating func owe(_ count: Int) {
        guard perSecond > 0 else { return }
        tokens = max(perSecond &* -1_000, tokens &- min(Int64(count), Self.most) &* 1_000)
    }

    /// Whether it is as it was at the beginning.
    package var isFull: Bool { tokens == brim }
}
