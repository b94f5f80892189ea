/// Work on the store that no message asks for, and that recurs: deleting, erasing, compacting, copying, measuring.
///
/// A job is one file of this folder and one line of `MaintenanceJobs`. Its runner begins a *run* at each interval
/// and calls `step` until the run has nothing more to do. A job lives on its runner's thread, so it keeps between
/// two steps what it likes; a restart of the service begins it from nothing.
package protocol MaintenanceJob {
    /// The name, unlike that of every other job; the label `kind` of its metric, and in the log.
    var name: String { get }

    /// The time from the beginning of one run to that of the next.
    var interval: Duration { get }

    /// The pause between two steps of a run.
    var pause: Duration { get }

    /// The number of pages written to the database after which a run begins before its time; nil for none.
    var pagesBetween: Int? { get }

    /// Runs one step and returns whether the run goes on.
    ///
    /// Workers commit between two steps and the service stops between two: a step is a few short transactions at
    /// most. It may block for as long as those, and is called on one thread alone.
    /// - Throws: What the store says: the run is over, and the next one begins in its time.
    mutating func step() throws -> Bool

    /// Rests because another process does the work from now on: says nothing more of what it found.
    func rest()

    /// Returns how many rows or devices wait for this job, counted up to `limit`; nil where nothing is counted.
    func backlog(limit: Int) throws -> Int64?
}

extension MaintenanceJob {
    package var pause: Duration { .milliseconds(200) }
    package var pagesBetween: Int? { nil }
    package func rest() {}
    package func backlog(limit: Int) throws -> Int64? { nil }
}
