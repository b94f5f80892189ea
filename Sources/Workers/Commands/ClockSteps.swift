import Domain

/// A detector of backward steps of the machine's clock, by comparison with the steady clock.
///
/// After such a step, stored due times lie too far ahead: a command that waits five seconds for its answer would wait
/// for hours.
struct ClockSteps {
    private var last: (wall: Instant, steady: ContinuousClock.Instant)?

    /// The smallest step that counts: smaller ones cause no noticeable delay.
    static let leastMilliseconds: Int64 = 1000

    /// Returns the milliseconds by which the clock was set back since the last note; nil if it was not.
    func stepBack(by clock: any WallClock) -> Int64? {
        guard let last else { return nil }
        let passed = Int64((clock.steady - last.steady) / .milliseconds(1))
        let step = last.wall.milliseconds + passed - clock.now.milliseconds
        return step > Self.leastMilliseconds ? step : nil
    }

    /// Records the time of both clocks.
    mutating func note(_ clock: any WallClock) { last = (clock.now, clock.steady) }
}
