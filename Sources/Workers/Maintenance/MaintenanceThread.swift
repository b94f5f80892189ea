import Glibc
package import Logging
import Synchronization

/// A separate thread for maintenance jobs, since these jobs block the thread on which they run.
package final class MaintenanceThread: Sendable {
    private let makeRunner: @Sendable () -> MaintenanceRunner
    /// The leadership that decides whether this process runs the jobs, or nil if every process runs them.
    private let leadership: Leadership?
    private let isStopping = Atomic<Bool>(false)

    /// The thread's longest sleep, which can delay a stop or an early run.
    private static let sleepMax: Duration = .milliseconds(100)

    /// Prepares a thread for a list of `MaintenanceJobs`, which are made on the thread.
    ///
    /// If `isForOne`, only one of the processes that share the database runs the jobs.
    package init(
        _ jobs: @escaping @Sendable (Environment, Logger) -> [any MaintenanceJob],
        _ environment: Environment,
        isForOne: Bool = false,
        logger: Logger
    ) {
        leadership = isForOne ? environment.leadership : nil
        makeRunner = {
            MaintenanceRunner(jobs(environment, logger), environment, logger: logger)
        }
    }

    /// Runs until `stop` is called.
    package func run() async {
        await PlainThread.run { self.work() }
    }

    /// Asks the thread to end when its current step is done.
    package func stop() { isStopping.store(true, ordering: .releasing) }

    private func work() {
        var runner = makeRunner()
        var wasOurs = false
        while !isStopping.load(ordering: .acquiring) {
            let isOurs = leadership?.isHeld ?? true
            if wasOurs, !isOurs { runner.rest() }
            wasOurs = isOurs
            let rest = isOurs ? min(runner.turn(), Self.sleepMax) : Self.sleepMax
            if rest > .zero { usleep(UInt32(rest / .microseconds(1))) }
        }
    }
}
