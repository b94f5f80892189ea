package import Logging
import Metrics
import Storage

/// A runner that chooses which maintenance job takes the next step, and measures backlogs.
///
/// The job that has been due longest runs first. A runner belongs to one thread.
package struct MaintenanceRunner {
    private let environment: Environment
    private let logger: Logger
    private var entries: [Entry]
    private var measuresAt: ContinuousClock.Instant

    /// The time between two measurements of the backlogs.
    static let measureInterval: Duration = .seconds(5)
    /// The longest pause after a failed step.
    static let failurePauseMax: Duration = .seconds(5)
    /// The number at which the count of a backlog stops.
    static let backlogMax = 100_000

    /// A job, and the due time of its next step.
    private struct Entry {
        var job: any MaintenanceJob
        var due: ContinuousClock.Instant
        /// When the last run began, and how many pages had been written by then.
        var began: (at: ContinuousClock.Instant, pages: Int)
        var isRunning = false
        var hasFailed = false
        var gauge: Gauge?

        mutating func step(_ environment: Environment) throws {
            let clock = environment.clock
            if !isRunning { began = (clock.steady, environment.store.pagesWritten) }
            do {
                isRunning = try job.step()
            } catch {
                isRunning = false
                due = clock.steady + min(job.interval, failurePauseMax)
                throw error
            }
            let end = clock.steady
            due = isRunning ? end + job.pause : max(end, began.at + job.interval)
        }
    }

    /// Prepares the given jobs, which are all due immediately.
    package init(_ jobs: [any MaintenanceJob], _ environment: Environment, logger: Logger) {
        self.environment = environment
        self.logger = logger
        let now = environment.clock.steady
        measuresAt = now
        entries = jobs.map { Entry(job: $0, due: now, began: (now, 0)) }
    }

    /// Tells each job to rest, because another process does the work from now on.
    package func rest() {
        for entry in entries { entry.job.rest() }
    }

    /// Does one step or measurement if it is due.
    ///
    /// Returns 0 after a step or measurement. If nothing is due, returns the time until something will be due.
    package mutating func turn() -> Duration {
        let now = environment.clock.steady
        noteWrites(at: now)
        guard let next = entries.indices.min(by: { entries[$0].due < entries[$1].due }) else {
            return Self.measureInterval
        }
        let due = min(entries[next].due, measuresAt)
        guard due <= now else { return due - now }
        if entries[next].due == due {
            step(next)
        } else {
            measure()
            measuresAt = environment.clock.steady + Self.measureInterval
        }
        return .zero
    }

    /// Makes each job due if enough pages have been written since its last run.
    private mutating func noteWrites(at now: ContinuousClock.Instant) {
        let written = environment.store.pagesWritten
        for place in entries.indices where !entries[place].isRunning {
            guard let pages = entries[place].job.pagesBetween, written - entries[place].began.pages >= pages else {
                continue
            }
            entries[place].due = min(entries[place].due, now)
        }
    }

    private mutating func step(_ place: Int) {
        do {
            try entries[place].step(environment)
            entries[place].hasFailed = false
        } catch {
            report(error, of: place)
        }
    }

    /// Logs only the first of consecutive failures as a warning, the others at `debug`.
    private mutating func report(_ error: any Error, of place: Int) {
        logger.log(
            level: entries[place].hasFailed ? .debug : .warning,
            "Maintenance failed; the next run tries again",
            metadata: [
                "job": "\(entries[place].job.name)", "error": "\(error)",
            ]
        )
        entries[place].hasFailed = true
    }

    /// Measures each job's backlog, and keeps the gauge's last value if the backlog can't be counted.
    private mutating func measure() {
        for place in entries.indices {
            guard let count = try? entries[place].job.backlog(limit: Self.backlogMax) else { continue }
            let gauge =
                entries[place].gauge
                ?? Gauge(label: "lamplighter_sweep_backlog_rows", dimensions: [("kind", entries[place].job.name)])
            gauge.record(count)
            entries[place].gauge = gauge
        }
    }
}
