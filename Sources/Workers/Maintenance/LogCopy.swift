import Logging
import Storage

/// A job that lets the write-ahead log start anew by copying it to the database.
///
/// The log restarts only after the whole log has been copied. Copying the whole log takes about 40 ms. This job copies
/// most of the log while writers are writing. Writers then wait only a millisecond, while the rest of the log is
/// copied.
struct LogCopy: MaintenanceJob {
    private let environment: Environment
    private let checkpointer: Checkpointer?

    let name = "logCopy"
    /// The longest interval between two copies.
    ///
    /// After a copy, writers can continue even if the disk is full.
    let interval: Duration = .seconds(10)
    /// The log is copied each time this number of pages (32 MB) has been written.
    ///
    /// A commit may have to wait until a copy ends. At 200 commands a second, a copy every four seconds delays under 1
    /// % of commits.
    let pagesBetween: Int? = 16_000

    init(_ environment: Environment, _ logger: Logger) {
        self.environment = environment
        checkpointer = try? Checkpointer(path: environment.store.path)
        if checkpointer == nil {
            // If the checkpointer can't be opened, the store's writer copies the log, and commits wait longer.
            logger.warning("The write-ahead log can't be copied in the background")
        }
    }

    func step() -> Bool {
        // The copy can fail if a writer is also copying. The next run tries again.
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
