import Domain

/// Notices when the machine's clock was set back, with the help of the steady clock.
///
/// Due times by the earlier clock would come that much later: a command that waits five seconds for its answer would
/// wait for hours.
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

    /// Notes the time by both clocks.
    mutating func note(_ clock: any WallClock) { last = (clock.now, clock.steady) }
}
