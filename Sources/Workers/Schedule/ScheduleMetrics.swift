import Domain
import Metrics

/// What is counted of schedules.
final class ScheduleMetrics: Sendable {
    static let shared = ScheduleMetrics()

    private let runs = Dictionary(
        uniqueKeysWithValues: [ScheduleRun.State.done, .failed, .expired, .missed].map { state in
            let labels = [("state", state.rawValue)]
            return (state, Counter(label: "lamplighter_schedule_runs_total", dimensions: labels))
        }
    )
    private let fired = Counter(label: "lamplighter_schedule_triggers_total")
    private let lag = Timer(label: "lamplighter_schedule_lag_seconds")
    private let waiting = Gauge(label: "lamplighter_schedules_due")

    /// A run has come to its end.
    func ran(_ state: ScheduleRun.State) { runs[state]?.increment() }

    /// Triggers leave, the last of them so long after its time.
    func fired(_ count: Int, lagMilliseconds: Int64) {
        fired.increment(by: count)
        lag.recordMilliseconds(Swift.max(0, lagMilliseconds))
    }

    /// Occurrences are due that nobody has taken up yet.
    func waits(_ count: Int) { waiting.record(count) }
}
