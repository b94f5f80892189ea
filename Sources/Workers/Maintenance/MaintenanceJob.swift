/// Recurring work on the store, such as deleting, compacting, copying or measuring; no message starts this work.
///
/// `MaintenanceJobs` lists all jobs. A job's runner begins a *run* at each interval and calls `step` until the run's
/// work is done. A job lives on its runner's thread, so it can keep state between steps. This state is lost when the
/// process restarts.
package protocol MaintenanceJob {
    /// The job's unique name; it is also the label `kind` of the job's metric, and appears in the log.
    var name: String { get }

    /// The time between the beginnings of two runs; by default, 5 s.
    var interval: Duration { get }

    /// The pause between two steps of a run.
    var pause: Duration { get }

    /// After this number of written database pages, a run begins early; nil if runs never begin early.
    var pagesBetween: Int? { get }

    /// Runs one step, and returns whether the run continues.
    ///
    /// A step must have only a few short transactions, so that workers can commit and the service can stop between
    /// steps.
    /// - Throws: An error of the store; the run ends, and the next run begins after a pause.
    mutating func step() throws -> Bool

    /// Stops reporting results; called when another process takes over the job's work.
    func rest()

    /// Returns the number of rows or devices that are waiting for this job, at most `limit`; nil if this job has no
    /// backlog to count.
    func backlog(limit: Int) throws -> Int64?
}

extension MaintenanceJob {
    package var interval: Duration { .seconds(5) }
    package var pause: Duration { .milliseconds(200) }
    package var pagesBetween: Int? { nil }
    package func rest() {}
    package func backlog(limit: Int) throws -> Int64? { nil }
}
