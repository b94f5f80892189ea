import Domain
package import Storage
import Synchronization

/// Reads what takes long, such as months of history, on threads of its own with a bounded queue
/// before them: readers of the store never hold up who writes.
package final class ReadingPool: SlowPool {
    private struct Job: Sendable {
        var question: HistoryQuestion
        var done: @Sendable (Prepared) -> Void
    }

    private struct State {
        var queue: [Job] = []
        var busy = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let reader: HistoryReader
    private let threads: Int
    private let queueMax: Int
    private let meter = SlowMetrics(.reading)

    /// Makes a pool over a store.
    package init(_ store: Store, _ limits: Limits) {
        reader = HistoryReader(store, scanMax: limits.historyScanMax)
        threads = limits.historyReaders
        queueMax = limits.historyQueue
    }

    package func room(in lane: SlowLane) -> Int {
        guard lane == .reading else { return 0 }
        return state.withLock { $0.isClosed ? 0 : max(0, queueMax - $0.queue.count) }
    }

    package func submit(_ work: Preparation, done: @escaping @Sendable (Prepared) -> Void) {
        guard case .history(let question) = work else { return done(Prepared()) }
        let (isTaken, mustStart) = state.withLock { state in
            guard !state.isClosed, state.queue.count < queueMax else { return (false, false) }
            state.queue.append(Job(question: question, done: done))
            guard state.busy < threads else { return (true, false) }
            state.busy += 1
            return (true, true)
        }
        guard isTaken else {
            meter.rejected()
            return done(.refused(Self.isFull))
        }
        measure()
        if mustStart { PlainThread.detach { self.work() } }
    }

    /// Takes nothing more; what waits is refused, what runs is finished.
    package func close() {
        let left = state.withLock { state in
            state.isClosed = true
            defer { state.queue = [] }
            return state.queue
        }
        for job in left { job.done(.refused(Self.isFull)) }
    }

    // MARK: On a thread of the pool

    private func work() {
        while let job = next() {
            measure()
            let start = ContinuousClock.now
            var prepared = Prepared()
            do {
                prepared.page = try reader.page(job.question)
            } catch {
                prepared = .refused(
                    Rejection(.unavailable, "The history can't be read now.", retryAfter: 5)
                )
            }
            meter.took(ContinuousClock.now - start)
            job.done(prepared)
        }
        measure()
    }

    private func next() -> Job? {
        state.withLock { state in
            guard !state.queue.isEmpty else {
                state.busy -= 1
                return nil
            }
            return state.queue.removeFirst()
        }
    }

    private func measure() {
        let (waiting, busy) = state.withLock { ($0.queue.count, $0.busy) }
        meter.depth(waiting: waiting, busy: busy)
    }
}
