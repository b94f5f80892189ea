import Domain
import Glibc
package import Logging
import Storage
import Synchronization

/// Keeps the store in shape beside the workers, on a thread of its own: sorts the history's tail into
/// the devices' pieces, and copies the log into the database file.
///
/// One thread for both, so that they never meet on the disk.
package final class UpkeepThread: Sendable {
    private let environment: Environment
    private let logger: Logger
    private let isStopping = Atomic<Bool>(false)
    private static let pauseMicroseconds: UInt32 = 100_000
    /// Pages written since the log was copied last above which that is done: 8 MB.
    ///
    /// Commits that meet a copy wait for the disk, so it is done no oftener than the log's length asks for.
    private static let logPages = 4000
    /// How long what little is written stays in the log at most, in milliseconds.
    ///
    /// On a full disk the log goes on from its beginning then.
    private static let logMilliseconds: Int64 = 10_000

    /// Prepares the thread for the store of an environment.
    package init(_ environment: Environment, logger: Logger) {
        self.environment = environment
        self.logger = logger
    }

    /// Runs until `stop`.
    package func run() async {
        await withCheckedContinuation { continuation in
            PlainThread.detach {
                self.work()
                continuation.resume()
            }
        }
    }

    /// Asks the thread to return.
    package func stop() { isStopping.store(true, ordering: .releasing) }

    private var isGoing: Bool { !isStopping.load(ordering: .acquiring) }

    private func work() {
        let sorter = HistorySorter(environment)
        let checkpointer = try? Checkpointer(path: environment.store.path)
        if checkpointer == nil {
            // The writer does it all by itself then, with longer pauses.
            logger.warning("The log is not copied in the background")
        }
        var copiedAt = environment.clock.now
        var copiedPages = 0
        while isGoing {
            // Busy or full: a later round tries again, and so does the writer.
            do {
                try sorter.sort(while: { isGoing })
            } catch {
                logger.debug(
                    "Sorting the history has to wait",
                    metadata: ["error": "\(StoreError.summary(error))"]
                )
            }
            let now = environment.clock.now
            let pages = environment.store.pagesWritten
            if pages - copiedPages >= Self.logPages || now < copiedAt
                || now.milliseconds - copiedAt.milliseconds >= Self.logMilliseconds
            {
                copiedAt = now
                copiedPages = pages
                try? copy(checkpointer)
            }
            usleep(Self.pauseMicroseconds)
        }
    }

    /// Copies the log and has it begin anew.
    ///
    /// It begins anew only when all of it is copied, and while workers go on writing there is always a
    /// rest. Left to itself it grows until a writer has to copy for some 40 ms; so the rest is copied in
    /// the writer's place as soon as it is a small one, which takes about a millisecond.
    private func copy(_ checkpointer: Checkpointer?) throws {
        guard let checkpointer else { return }
        try checkpointer.run()
        try checkpointer.run()
        try environment.store.checkpoint()
    }
}
