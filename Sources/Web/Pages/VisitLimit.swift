import Synchronization

/// A limit on the number of requests that each visitor can make in a minute.
package final class VisitLimit: Sendable {
    private struct State {
        var minute: Int64 = 0
        var counts: [String: Int] = [:]
    }

    private let state = Mutex(State())
    private let perMinute: Int
    private let visitorsMax: Int
    private let seconds: @Sendable () -> Int64

    /// Creates a limit of `perMinute` visits from each visitor, measured by the monotonic clock `seconds`.
    package init(perMinute: Int, visitorsMax: Int = 10_000, seconds: @escaping @Sendable () -> Int64) {
        (self.perMinute, self.visitorsMax, self.seconds) = (perMinute, visitorsMax, seconds)
    }

    /// Counts a visit, and returns false if the visit exceeds the limit.
    ///
    /// The first `visitorsMax` visitors in a minute are counted separately. All other visitors share one count.
    package func admit(_ visitor: String) -> Bool {
        let minute = seconds() / 60
        return state.withLock { state in
            if state.minute != minute { state = State(minute: minute) }
            let isKnown = state.counts[visitor] != nil
            let key = isKnown || state.counts.count < visitorsMax ? visitor : "others"
            let count = state.counts[key, default: 0] + 1
            state.counts[key] = count
            return count <= (key == "others" ? perMinute * 10 : perMinute)
        }
    }
}
