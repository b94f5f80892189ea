import Domain

/// Notices that the machine's clock was set back, by a clock that nobody sets.
///
/// What was due by the clock of before would be due that much later: a command that waits five seconds
/// for its answer would wait for hours.
struct ClockSteps {
    private var last: (wall: Instant, steady: Int64)?

    /// Steps back below this are none: they delay nothing that anybody would notice.
    static let leastMilliseconds: Int64 = 1000

    /// By how many milliseconds the clock was set back since the last note; nil where it was not.
    func stepBack(by clock: any WallClock) -> Int64? {
        guard let last else { return nil }
        let passed = clock.steadyMilliseconds - last.steady
        let step = last.wall.milliseconds + passed - clock.now.milliseconds
        return step > Self.leastMilliseconds ? step : nil
    }

    /// Notes the time by both clocks.
    mutating func note(_ clock: any WallClock) { last = (clock.now, clock.steadyMilliseconds) }
}
