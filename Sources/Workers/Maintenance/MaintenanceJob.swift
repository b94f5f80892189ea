/// Recurring work on the store that no message requests, such as deleting, compacting, copying or measuring.
///
/// A job has a file in this folder and a line in `MaintenanceJobs`. Its runner begins a *run* at each interval and
/// calls `step` until the run's work is done. A job lives on its runner's thread, so it can keep state between two
/// steps; a restart of the service loses that state.
package protocol MaintenanceJob {
    /// The unique name of the job, which is also the label `kind` of its metric and appears in the log.
    var name: String { get }

    /// The time between the beginnings of two runs.
    var interval: Duration { get }

    /// The pause between two steps of a run.
    var pause: Duration { get }

    /// The number of pages written to the database after which a run begins early; nil if no run begins early.
    var pagesBetween: Int? { get }

    /// Runs one step, and returns whether the run continues.
    ///
    /// Workers can commit and the service can stop between two steps, so a step has at most a few short transactions. A
    /// step may block for the time of its transactions, and is always called on the same thread.
    /// - Throws: An error of the store; the run ends, and the next run begins after a pause.
    mutating func step() throws -> Bool

    /// Stops reporting results, because another process does the job's work from now on.
    func rest()

    /// Returns the number of rows or devices that wait for this job, at most `limit`; nil if nothing is counted.
    func backlog(limit: Int) throws -> Int64?
}

extension MaintenanceJob {
    package var pause: Duration { .milliseconds(200) }
    package var pagesBetween: Int? { nil }
    package func rest() {}
    package func backlog(limit: Int) throws -> Int64? { nil }
}
