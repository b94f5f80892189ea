/// Recurring work on the store, such as deleting or measuring, that no message starts.
///
/// `MaintenanceJobs` lists all jobs. A job's runner begins a *run* at each interval. The runner calls `step` until the
/// run's work is done. A job lives on its runner's thread, so it can keep state between steps. This state is lost when
/// the process restarts.
package protocol MaintenanceJob {
    /// The job's unique name, also used in the log and as metric label `kind`.
    var name: String { get }

    /// The time between the beginnings of two runs, by default 5 s.
    var interval: Duration { get }

    /// The pause between two steps of a run.
    var pause: Duration { get }

    /// The number of written database pages after which a run begins early, or nil if runs never begin early.
    var pagesBetween: Int? { get }

    /// Runs one step, and returns whether the run continues.
    ///
    /// A step must have only a few short transactions. Between steps, workers can commit and the service can stop.
    /// - Throws: An error of the store. The run ends, and the next run begins after a pause.
    mutating func step() throws -> Bool

    /// Stops reporting results, because another process takes over the job's work.
    func rest()

    /// Returns how many rows or devices wait for this job (at most `limit`), or nil if they are not counted.
    func backlog(limit: Int) throws -> Int64?
}

extension MaintenanceJob {
    package var interval: Duration { .seconds(5) }
    package var pause: Duration { .milliseconds(200) }
    package var pagesBetween: Int? { nil }
    package func rest() {}
    package func backlog(limit: Int) throws -> Int64? { nil }
}
