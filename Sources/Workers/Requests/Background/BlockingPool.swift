import Synchronization

/// Runs blocking work on plain threads, a limited number at a time, for callers that may not block.
package final class BlockingPool: Sendable {
    /// Too much is running already.
    package struct IsFull: Error {
        /// Makes the error.
        package init() {}
    }

    private let running = Mutex(0)
    private let max: Int

    /// Sets the limit.
    package init(max: Int) { self.max = max }

    /// Runs a piece of work on a thread of its own and returns its result.
    ///
    /// - Throws: `IsFull`, at once, or the error of the work.
    package func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
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
