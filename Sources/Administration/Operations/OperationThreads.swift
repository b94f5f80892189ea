import DequeModule
import Synchronization
import Workers

/// A few plain threads that run blocking work, the highest rank first.
///
/// Work of the same rank runs in the order of its arrival. The number of threads limits the console's database
/// connections for reading.
package final class OperationThreads: Sendable {
    /// The error that refuses a piece of work because too many pieces of its rank are waiting.
    package struct IsFull: Error {}

    /// The rank of a piece of work, with the cases in order from the highest to the lowest.
    package enum Rank: Int, CaseIterable, Sendable {
        /// Work for an operator.
        case `operator`
        /// The session lookup of a request with a cookie or a token.
        case lookup
        /// A sign-in of a caller who has no session.
        case stranger
        /// A sign-in from an address that has sent too many requests within a minute.
        case crowd

        /// Whether this is a rank of strangers' work: `stranger` or `crowd`.
        ///
        /// Only one of the two threads at a time runs strangers' work, so the other thread stays free for operators.
        var isOfStrangers: Bool { self == .stranger || self == .crowd }

        /// How many pieces of work of this rank can wait for a thread.
        package var waitingMax: Int { isOfStrangers ? 32 : 256 }
    }

    private typealias Work = @Sendable () -> Void

    private struct State {
        var running = 0
        var ofStrangers = 0
        var waiting = [Deque<Work>](repeating: [], count: Rank.allCases.count)

        /// Removes and returns the next piece of work.
        mutating func next() -> (rank: Rank, work: Work)? {
            for rank in Rank.allCases where !(rank.isOfStrangers && ofStrangers > 0) {
                guard let work = waiting[rank.rawValue].popFirst() else { continue }
                if rank.isOfStrangers { ofStrangers += 1 }
                return (rank, work)
            }
            return nil
        }
    }

    private let state = Mutex(State())
    /// The maximum number of threads.
    private static let threadsMax = 2

    /// The number of pieces of work that are waiting for a thread.
    package var waiting: Int { state.withLock { $0.waiting.reduce(0) { $0 + $1.count } } }

    /// Runs a piece of work on one of the threads and returns its result.
    ///
    /// - Throws: `IsFull` if too much work is waiting, or the error that the work throws. The method throws `IsFull`
    ///   without waiting.
    package func run<Value: Sendable>(
        _ rank: Rank = .operator,
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let work: Work = { continuation.resume(with: Result { try body() }) }
            let (isTaken, starts) = state.withLock { state in
                guard state.waiting[rank.rawValue].count < rank.waitingMax else { return (false, false) }
                state.waiting[rank.rawValue].append(work)
                guard state.running < Self.threadsMax else { return (true, false) }
                state.running += 1
                return (true, true)
            }
            guard isTaken else { return continuation.resume(throwing: IsFull()) }
            if starts { PlainThread.detach { self.workOff() } }
        }
    }

    private func workOff() {
        var done: Rank?
        while let next = state.withLock({ state in
            if done?.isOfStrangers == true { state.ofStrangers -= 1 }
            let next = state.next()
            if next == nil { state.running -= 1 }
            return next
        }) {
            next.work()
            done = next.rank
        }
    }
}
