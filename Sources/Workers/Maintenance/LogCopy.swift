import Logging
import Storage

/// A job that copies the log into the database file and lets the log restart from its beginning.
///
/// The log restarts only when all of it is copied, and while workers write there is always a remainder. It would grow
/// until a writer had to copy for some 40 ms, so this job copies the remainder in place of a writer as soon as it is
/// small, which takes about a millisecond.
struct LogCopy: MaintenanceJob {
    private let environment: Environment
    private let checkpointer: Checkpointer?

    let name = "logCopy"
    /// The interval while little is written, at which the log is reused from its beginning even on a full disk.
    let interval: Duration = .seconds(10)
    /// 32 MB.
    ///
    /// Commits during a copy wait for the disk, so the log is copied no more often than its length requires: at 200
    /// commands a second once in four seconds, so that fewer than one commit in a hundred is affected.
    let pagesBetween: Int? = 16_000

    init(_ environment: Environment, _ logger: Logger) {
        self.environment = environment
        checkpointer = try? Checkpointer(path: environment.store.path)
        if checkpointer == nil {
            // Without the checkpointer, the writer copies the log itself, with longer pauses.
            logger.warning("The write-ahead log can't be copied in the background")
        }
    }

    func step() -> Bool {
        // A writer may be copying at the same time; the next run tries again.
        try? copy()
        return false
    }

    private func copy() throws {
        guard let checkpointer else { return }
        try checkpointer.run()
        try checkpointer.run()
        try environment.store.checkpoint()
    }
}
