import Domain
import Glibc
package import Logging
import Storage
import Synchronization

/// Keeps the store in shape beside the workers, on a thread of its own: sorts the history's tail into
/// the devices' pieces, copies the log into the database file, and has the log's file keep its length.
///
/// One thread for all of it, so that they never meet on the disk.
package final class UpkeepThread: Sendable {
    private let environment: Environment
    private let logger: Logger
    private let isStopping = Atomic<Bool>(false)
    private static let pauseMicroseconds: UInt32 = 100_000
    /// Between two pieces by which the log's file grows.
    private static let growthMicroseconds: UInt32 = 20_000
    /// Pages written since the log was copied last above which that is done: 32 MB.
    ///
    /// Commits that meet a copy wait for the disk, so it is done no oftener than the log's length asks for:
    /// at 200 commands a second once in four seconds, so that not one in a hundred meets it.
    private static let logPages = 16_000
    /// Pages written since the history's tail was looked at above which that is done: 1 MB, a quarter of
    /// what the tail may hold.
    ///
    /// A look takes a third of a millisecond from whoever is at work just then.
    private static let tailPages = 500
    /// How long the tail isn't looked at where little is written, in milliseconds.
    private static let tailMilliseconds: Int64 = 1000
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
        var tail = Due(pages: Self.tailPages, milliseconds: Self.tailMilliseconds)
        var log = Due(pages: Self.logPages, milliseconds: Self.logMilliseconds)
        var rest = DueRest()
        let disk = DiskWatch(environment, logger)
        var shrinker = Shrinker(environment)
        while isGoing {
            disk.look()
            let hasLogGrown = lengthenLog(&rest)
            if tail.take(environment.clock.now, environment.store.pagesWritten) { sort(sorter) }
            if log.take(environment.clock.now, environment.store.pagesWritten) {
                try? copy(checkpointer)
            }
            // Busy or full: a later round tries again.
            let hasShrunk = (try? shrinker.step()) ?? false
            usleep(hasLogGrown || hasShrunk ? Self.growthMicroseconds : Self.pauseMicroseconds)
        }
    }

    /// Whether the log's file grew by a piece; after a failure it is left alone for a while.
    private func lengthenLog(_ rest: inout DueRest) -> Bool {
        guard rest.isOver(at: environment.clock.now) else { return false }
        do {
            let hasGrown = try environment.store.lengthenLog()
            rest = DueRest()
            return hasGrown
        } catch {
            _ = rest.begin(at: environment.clock.now)
            return false
        }
    }

    /// Busy or full: a later round tries again, and so does the writer.
    private func sort(_ sorter: HistorySorter) {
        do {
            try sorter.sort(while: { isGoing })
        } catch {
            logger.debug(
                "Sorting the history has to wait",
                metadata: ["error": "\(StoreError.summary(error))"]
            )
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

/// Whether it is time for something again: so much was written since, or so long ago it was.
private struct Due {
    let pages: Int
    let milliseconds: Int64
    private var last: (at: Instant, pages: Int)?

    init(pages: Int, milliseconds: Int64) {
        self.pages = pages
        self.milliseconds = milliseconds
    }

    /// Asks, and begins to count anew where it is time; a clock that was set back makes it time.
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
