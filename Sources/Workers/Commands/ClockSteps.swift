import Domain

/// A detector of backward steps of the machine's clock; it compares that clock with the monotonic clock.
///
/// After a backward step, stored due times are too late: a command's wait of five seconds could last for hours.
struct ClockSteps {
    private var last: (wall: Instant, steady: ContinuousClock.Instant)?

    /// The smallest step that counts, in milliseconds; smaller steps cause no noticeable delay.
    static let leastMilliseconds: Int64 = 1000

    /// Returns the number of milliseconds by which the clock has been set back since the last call of `note`; nil if
    /// the clock hasn't been set back.
    func stepBack(by clock: any WallClock) -> Int64? {
        guard let last else { return nil }
        let passed = Int64((clock.steady - last.steady) / .milliseconds(1))
        let step = last.wall.milliseconds + passed - clock.now.milliseconds
        return step > Self.leastMilliseconds ? step : nil
    }

    /// Records the times of the machine's clock and the monotonic clock.
    mutating func note(_ clock: any WallClock) { last = (clock.now, clock.steady) }
}
