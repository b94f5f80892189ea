import Domain

/// A detector of backward steps, which compares the machine's clock with the monotonic clock.
///
/// After a backward step, stored due times are too late. A command's wait of five seconds could last for hours.
struct ClockSteps {
    private var last: (wall: Instant, steady: ContinuousClock.Instant)?

    /// The size in milliseconds that a step must exceed to count.
    ///
    /// Smaller steps cause no noticeable delay.
    static let leastMilliseconds: Int64 = 1000

    /// Returns by how many milliseconds the clock was set back since the last call of `note`.
    ///
    /// The result is nil if this is at most one second, or if `note` has not been called yet.
    func stepBack(by clock: any WallClock) -> Int64? {
        guard let last else { return nil }
        let passed = Int64((clock.steady - last.steady) / .milliseconds(1))
        let step = last.wall.milliseconds + passed - clock.now.milliseconds
        return step > Self.leastMilliseconds ? step : nil
    }

    /// Records the times of the machine's clock and the monotonic clock.
    mutating func note(_ clock: any WallClock) { last = (clock.now, clock.steady) }
}
