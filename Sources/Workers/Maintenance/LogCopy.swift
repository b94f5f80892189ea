import Logging
import Storage

/// A job that copies the write-ahead log into the database file, so that the log restarts from its beginning.
///
/// The log restarts only when all of it is copied, but while workers write, there is always a remainder. Without this
/// job, the log would grow until a writer had to copy for about 40 ms. As soon as the remainder is small, this job
/// copies it in the writer's place, which takes about a millisecond.
struct LogCopy: MaintenanceJob {
    private let environment: Environment
    private let checkpointer: Checkpointer?

    let name = "logCopy"
    /// The interval between two copies while little is written.
    ///
    /// Because of these copies, the log is reused from its beginning even if the disk is full and little is written.
    let interval: Duration = .seconds(10)
    /// The number of written pages (32 MB) after which the log is copied.
    ///
    /// Commits during a copy wait for the disk, so the log is copied no more often than its length requires. At 200
    /// commands a second, the log is copied every four seconds, so that fewer than one commit in a hundred is delayed.
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
