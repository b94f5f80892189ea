import DequeModule
import Synchronization
import Workers

/// Runs the console's blocking work on a few plain threads, in the order in which it came: pages never take more of
/// the store's readers than these, however many pages are open.
final class ConsoleThreads: Sendable {
    /// Too much is waiting already.
    struct IsFull: Error {}

    private struct State {
        var running = 0
        var waiting: Deque<@Sendable () -> Void> = []
    }

    private let state = Mutex(State())
    /// The most threads.
    private static let threadsMax = 2
    /// The most pieces of work that wait for one.
    private static let waitingMax = 256

    /// Runs a piece of work on one of the threads and returns its result.
    ///
    /// - Throws: `IsFull`, at once, or the error of the work.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            let work: @Sendable () -> Void = { continuation.resume(with: Result { try body() }) }
            let (isTaken, starts) = state.withLock { state in
                guard state.waiting.count < Self.waitingMax else { return (false, false) }
                state.waiting.append(work)
                guard state.running < Self.threadsMax else { return (true, false) }
                state.running += 1
                return (true, true)
            }
            guard isTaken else { return continuation.resume(throwing: IsFull()) }
            if starts { PlainThread.detach { self.workOff() } }
        }
    }

    private func workOff() {
        while let work = state.withLock({ state in
            let next = state.waiting.popFirst()
            if next == nil { state.running -= 1 }
            return next
        }) {
            work()
        }
    }
}
