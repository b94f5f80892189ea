import Glibc
package import Logging
import Storage
import Synchronization

/// Runs the checkpointer on a thread of its own, a few times a second.
package final class CheckpointThread: Sendable {
    private let path: String
    private let logger: Logger
    private let isStopping = Atomic<Bool>(false)
    private static let pauseMicroseconds: UInt32 = 200_000

    /// Prepares the thread for the database of a store.
    package init(_ environment: Environment, logger: Logger) {
        path = environment.store.path
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

    private func work() {
        guard let checkpointer = try? Checkpointer(path: path) else {
            // The writer does it all by itself then, with longer pauses.
            return logger.warning("The log is not copied in the background")
        }
        while !isStopping.load(ordering: .acquiring) {
            // Busy or full: the next round tries again, and so does the writer.
            try? checkpointer.run()
            usleep(Self.pauseMicroseconds)
        }
    }
}
