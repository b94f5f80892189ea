import Domain
import Synchronization

/// How the machine's clock was set while this process runs, told by a clock that is never set.
///
/// Rows have the times of the machine's clock. By these spans a row of the last ten minutes is known as one, though the
/// clock was set since.
package final class ClockHistory: Sendable {
    /// A time in which the clock was not set; both ends in milliseconds of the steady clock.
    fileprivate struct Span {
        var from: Int64
        var until: Int64
        /// What the machine's clock says beyond the steady one, in milliseconds.
        var ahead: Int64
    }

    fileprivate struct State {
        var start: ContinuousClock.Instant?
        var spans: [Span] = []
        /// The last step ahead: what the clock said before it, and what it said beyond the steady one.
        var jump: (at: Instant, ahead: Int64)?
    }

    private let state = Mutex(State())
    fileprivate static let spansMax = 16

    /// Notes what both clocks say; to be called at least each second.
    func note(_ clock: any WallClock) {
        state.withLock { _ = $0.note(clock) }
    }

    /// Returns what the machine's clock has said in the last seconds: the earliest and the latest.
    func moments(ofLast seconds: Int64, by clock: any WallClock) -> ClosedRange<Instant> {
        state.withLock { state in
            let start = state.note(clock) - seconds * 1000
            let spans = state.spans.filter { $0.until >= start }
            let earliest = spans.map { max($0.from, start) + $0.ahead }.min() ?? start
            let latest = spans.map { $0.until + $0.ahead }.max() ?? earliest
            return Instant(milliseconds: earliest)...Instant(milliseconds: max(earliest, latest))
        }
    }

    /// Returns what the clock said before it was last set ahead, and by how many milliseconds it is behind that clock now;
    /// nil where it never was.
    func jump(by clock: any WallClock) -> (at: Instant, behind: Int64)? {
        state.withLock { state in
            let now = state.note(clock)
            guard let jump = state.jump else { return nil }
            let behind = jump.ahead + now - clock.now.milliseconds
            return (jump.at, behind > ClockSteps.leastMilliseconds ? behind : 0)
        }
    }
}

extension ClockHistory.State {
    /// Notes what both clocks say; returns the time of the steady one.
    fileprivate mutating func note(_ clock: any WallClock) -> Int64 {
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
        // It was set at some moment since the last note.
        spans.append(ClockHistory.Span(from: last.until, until: now, ahead: ahead))
        if spans.count > ClockHistory.spansMax { spans.removeFirst() }
        return now
    }
}
