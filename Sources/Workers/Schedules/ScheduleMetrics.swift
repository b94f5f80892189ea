import Domain
import Metrics

/// The metrics of schedules.
final class ScheduleMetrics: Sendable {
    static let shared = ScheduleMetrics()

    private let runs = Dictionary(
        counting: "lamplighter_schedule_runs_total",
        by: "state",
        [ScheduleRun.State.done, .failed, .expired, .missed]
    )
    private let fired = Counter(label: "lamplighter_schedule_triggers_total")
    private let lag = Timer(label: "lamplighter_schedule_lag_seconds")
    private let waiting = Gauge(label: "lamplighter_schedules_due")

    /// Counts a finished run.
    func ran(_ state: ScheduleRun.State) { runs[state]?.increment() }

    /// Counts sent triggers, and records the delay of the first trigger.
    func fired(_ count: Int, lagMilliseconds: Int64) {
        fired.increment(by: count)
        lag.recordMilliseconds(Swift.max(0, lagMilliseconds))
    }

    /// Records the number of due occurrences that have not run yet.
    func waits(_ count: Int) { waiting.record(count) }
}
