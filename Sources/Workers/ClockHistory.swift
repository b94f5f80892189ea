import Domain
import Synchronization

/// A record of the machine's clock steps, found by comparison with the monotonic clock.
///
/// With this record, rows of the last few minutes can be found even after a clock step.
package final class ClockHistory: Sendable {
    /// A span between two clock steps, in milliseconds of the monotonic clock.
    fileprivate struct Span {
        var from: Int64
        var until: Int64
        /// The milliseconds by which the machine's clock is ahead of the monotonic clock.
        var ahead: Int64
    }

    fileprivate struct State {
        var start: ContinuousClock.Instant?
        var spans: [Span] = []
        /// The time that the machine's clock showed just before its last step forward.
        ///
        /// `ahead` says by how many milliseconds the machine's clock was then ahead of the monotonic clock.
        var jump: (at: Instant, ahead: Int64)?
    }

    private let state = Mutex(State())
    fileprivate static let spansMax = 16

    /// Compares the machine's and the monotonic clock, and must run at least once a second.
    func record(_ clock: any WallClock) {
        state.withLock { _ = $0.record(clock) }
    }

    /// Returns the earliest and the latest time that the clock showed in the last `seconds` seconds.
    func moments(ofLast seconds: Int64, by clock: any WallClock) -> ClosedRange<Instant> {
        state.withLock { state in
            let start = state.record(clock) - seconds * 1000
            let spans = state.spans.filter { $0.until >= start }
            let earliest = spans.map { max($0.from, start) + $0.ahead }.min() ?? start
            let latest = spans.map { $0.until + $0.ahead }.max() ?? earliest
            return Instant(milliseconds: earliest)...Instant(milliseconds: max(earliest, latest))
        }
    }

    /// Returns the time that the clock showed just before its last step forward, or nil if there was no such step.
    ///
    /// Later steps can set the clock back by more than the step forward had advanced it. `behind` says by how many
    /// milliseconds the clock is now behind the time that it would show if it hadn't been stepped since the returned
    /// time. `behind` is 0 if the difference is at most one second.
    func jump(by clock: any WallClock) -> (at: Instant, behind: Int64)? {
        state.withLock { state in
            let now = state.record(clock)
            guard let jump = state.jump else { return nil }
            let behind = jump.ahead + now - clock.now.milliseconds
            return (jump.at, behind > ClockSteps.leastMilliseconds ? behind : 0)
        }
    }
}

extension ClockHistory.State {
    /// Compares the machine's clock with the monotonic clock, and returns the monotonic time in milliseconds.
    fileprivate mutating func record(_ clock: any WallClock) -> Int64 {
        let (wall, steady) = (clock.now.milliseconds, clock.steady)
        let now = Int64((steady - (start ?? steady)) / .milliseconds(1))
        start = start ?? steady
        let ahead = wall - now
        guard let last = spans.last else {
            spans = [ClockHistory.Span(from: -.max / 2, until: now, ahead: ahead)]
            return now
        }
        spans[spans.count - 1].until = max(last.until, now)
        guard abs(ahead - last.ahead) > ClockSteps.leastMilliseconds else { return now }
        if ahead > last.ahead { jump = (Instant(milliseconds: now + last.ahead), last.ahead) }
        // The clock was set at some moment since the last comparison.
        spans.append(ClockHistory.Span(from: last.until, until: now, ahead: ahead))
        if spans.count > ClockHistory.spansMax { spans.removeFirst() }
        return now
    }
}
