import Synchronization

/// A pool with a limited number of plain threads for blocking work.
package final class BlockingPool: Sendable {
    /// The error thrown when the maximum number of pieces of work is already running.
    package struct IsFull: Error {
        /// Makes the error.
        package init() {}
    }

    private let running = Mutex(0)
    private let max: Int

    /// Creates a pool that runs at most `max` pieces of work at a time.
    package init(max: Int) { self.max = max }

    /// Runs work on a new thread, or throws `IsFull` without running the work.
    package func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        let mayRun = running.withLock { running in
            guard running < max else { return false }
            running += 1
            return true
        }
        guard mayRun else { throw IsFull() }
        return try await withCheckedThrowingContinuation { continuation in
            PlainThread.detach {
                let result = Result { try body() }
                self.running.withLock { $0 -= 1 }
                continuation.resume(with: result)
            }
        }
    }
}
