import Domain
import Glibc
package import Logging
import Storage
import Synchronization

/// Maintains the store on a thread of its own: sorts the history buffer into the devices' chunks, copies the
/// log into the database file, shrinks that file, and keeps the length of the log's file.
///
/// One thread does all of it, so that these tasks never compete for the disk.
package final class UpkeepThread: Sendable {
    private let environment: Environment
    private let logger: Logger
    private let isStopping = Atomic<Bool>(false)
    private static let pauseMicroseconds: UInt32 = 100_000
    /// The pause between two pieces by which the log's file grows.
    private static let growthMicroseconds: UInt32 = 20_000
    /// The number of written pages after which the log is copied: 32 MB.
    ///
    /// Commits during a copy wait for the disk, so the log is copied no more often than its length requires: at 200
    /// commands a second once in four seconds, so that fewer than one commit in a hundred is affected.
    private static let logPages = 16_000
    /// The number of written pages after which the history buffer is checked: 1 MB, a quarter of its limit.
    ///
    /// A check delays the workers by a third of a millisecond.
    private static let bufferPages = 500
    /// The longest time between two checks of the buffer while little is written, in milliseconds.
    private static let bufferMilliseconds: Int64 = 1000
    /// The longest time between two copies of the log while little is written, in milliseconds.
    ///
    /// On a full disk the log is then reused from its beginning.
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
        let compactor = HistoryCompactor(environment)
        let checkpointer = try? Checkpointer(path: environment.store.path)
        if checkpointer == nil {
            // Without it the writer copies the log itself, with longer pauses.
            logger.warning("The log is not copied in the background")
        }
        var buffer = Due(pages: Self.bufferPages, milliseconds: Self.bufferMilliseconds)
        var log = Due(pages: Self.logPages, milliseconds: Self.logMilliseconds)
        var rest = DueBackoff()
        let disk = DiskWatch(environment, logger)
        var shrinker = Shrinker(environment)
        while isGoing {
            disk.look()
            let hasLogGrown = lengthenLog(&rest)
            if buffer.take(environment.clock.now, environment.store.pagesWritten) {
                compact(compactor)
            }
            if log.take(environment.clock.now, environment.store.pagesWritten) {
                try? copy(checkpointer)
            }
            // Busy or full: a later round tries again.
            let hasShrunk = (try? shrinker.step()) ?? false
            usleep(hasLogGrown || hasShrunk ? Self.growthMicroseconds : Self.pauseMicroseconds)
        }
    }

    /// Lengthens the log's file by a piece and returns whether it did; pauses for a while after a failure.
    private func lengthenLog(_ rest: inout DueBackoff) -> Bool {
        guard rest.isOver(at: environment.clock.now) else { return false }
        do {
            let hasGrown = try environment.store.lengthenLog()
            rest = DueBackoff()
            return hasGrown
        } catch {
            _ = rest.begin(at: environment.clock.now)
            return false
        }
    }

    /// Sorts the history buffer; if the store is busy or full, a later round tries again.
    private func compact(_ compactor: HistoryCompactor) {
        do {
            try compactor.compact(while: { isGoing })
        } catch {
            logger.debug(
                "Sorting the history has to wait",
                metadata: ["error": "\(StoreError.summary(error))"]
            )
        }
    }

    /// Copies the log and lets it restart from its beginning.
    ///
    /// It restarts only when all of it is copied, and while workers write there is always a rest. Otherwise it
    /// would grow until a writer has to copy for some 40 ms; so this thread copies the rest in the writer's place as
    /// soon as it is small, which takes about a millisecond.
    private func copy(_ checkpointer: Checkpointer?) throws {
        guard let checkpointer else { return }
        try checkpointer.run()
        try checkpointer.run()
        try environment.store.checkpoint()
    }
}

/// Decides whether a task is due again, by the pages written and the time passed since it last ran.
private struct Due {
    let pages: Int
    let milliseconds: Int64
    private var last: (at: Instant, pages: Int)?

    init(pages: Int, milliseconds: Int64) {
        self.pages = pages
        self.milliseconds = milliseconds
    }

    /// Returns whether the task is due, and restarts the count if so; also true if the clock was set back.
    mutating func take(_ now: Instant, _ written: Int) -> Bool {
        if let last, written - last.pages < pages, now >= last.at,
            now.milliseconds - last.at.milliseconds < milliseconds
        {
            return false
        }
        last = (now, written)
        return true
    }
}
