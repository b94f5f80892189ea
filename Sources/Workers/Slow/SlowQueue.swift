import Domain
import Synchronization

/// A bounded queue of one lane's slow work, and the few threads that do it.
///
/// Threads begin with the work and end when none is left, so that an idle service has none.
final class SlowQueue<Question: Sendable>: Sendable {
    private struct Job: Sendable {
        var question: Question
        var done: @Sendable (Prepared) -> Void
    }

    private struct State {
        var queue: [Job] = []
        var head = 0
        var busy = 0
        var isClosed = false

        var waiting: Int { queue.count - head }

        mutating func next() -> Job? {
            guard head < queue.count else {
                queue = []
                head = 0
                return nil
            }
            defer { head += 1 }
            return queue[head]
        }
    }

    private let state = Mutex(State())
    private let threads: Int
    private let max: Int
    private let meter: SlowMetrics
    private let begin: @Sendable () -> Void
    private let carryOut: @Sendable (Question) -> Prepared

    /// Makes a queue for a lane, of at most `max` questions beside those that run.
    ///
    /// `begin` is called on each new thread, `carryOut` there for each question.
    init(
        _ lane: SlowLane,
        threads: Int,
        max: Int,
        begin: @escaping @Sendable () -> Void = {},
        carryOut: @escaping @Sendable (Question) -> Prepared
    ) {
        self.threads = Swift.max(1, threads)
        self.max = max
        self.begin = begin
        self.carryOut = carryOut
        meter = SlowMetrics(lane)
    }

    /// How many more questions the queue takes at present.
    var room: Int { state.withLock { $0.isClosed ? 0 : Swift.max(0, max - $0.waiting) } }

    /// Takes a question, or refuses it at once when there is no room.
    func submit(_ question: Question, done: @escaping @Sendable (Prepared) -> Void) {
        let (isTaken, mustStart) = state.withLock { state in
            guard !state.isClosed, state.waiting < max else { return (false, false) }
            state.queue.append(Job(question: question, done: done))
            guard state.busy < threads else { return (true, false) }
            state.busy += 1
            return (true, true)
        }
        guard isTaken else {
            meter.rejected()
            return done(.refused(.laneIsFull))
        }
        measure()
        if mustStart { PlainThread.detach { self.work() } }
    }

    /// Takes nothing more; what waits is refused, what runs is finished.
    func close() {
        let left = state.withLock { state in
            state.isClosed = true
            defer {
                state.queue = []
                state.head = 0
            }
            return Array(state.queue[state.head...])
        }
        for job in left { job.done(.refused(.laneIsFull)) }
        measure()
    }

    // MARK: On a thread of the queue

    private func work() {
        begin()
        while let job = next() {
            measure()
            let start = ContinuousClock.now
            let prepared = carryOut(job.question)
            meter.took(ContinuousClock.now - start)
            job.done(prepared)
        }
        measure()
    }

    private func next() -> Job? {
        state.withLock { state in
            if let job = state.next() { return job }
            state.busy -= 1
            return nil
        }
    }

    private func measure() {
        let (waiting, busy) = state.withLock { ($0.waiting, $0.busy) }
        meter.depth(waiting: waiting, busy: busy)
    }
}
