import Domain
import Synchronization

/// The bounded queue of one pool's slow work, and the few threads that do this work.
///
/// Senders are served in turn (`FairQueue`). A question is a piece of work. While a thread works on a question, the
/// question no longer counts as queued. `discard` is called once for each question, either after a thread has worked on
/// it or when it is refused. Threads run only while there is work.
///
/// A question counts as unanswered from the start of its work until the request is answered. When
/// `PoolBounds.unanswered` is reached, the threads end. Otherwise, results could fill the memory while the worker is
/// slow.
final class BackgroundQueue<Question: Sendable>: Sendable {
    private struct Job: Sendable {
        var question: Question
        var done: @Sendable (Prepared) -> Void
    }

    private struct State {
        var queue: FairQueue<Job>
        var busy = 0
        /// The number of questions that are in progress or whose results are still unused.
        var unanswered = 0
        var isClosed = false
    }

    private let state: Mutex<State>
    private let threads: Int
    private let unansweredMax: Int
    private let meter: BackgroundMetrics
    private let begin: @Sendable () -> Void
    private let carryOut: @Sendable (Question) -> Prepared
    private let bytes: @Sendable (Question) -> Int
    private let discard: @Sendable (Question) -> Void

    /// Makes a queue for a pool, with limits on waiting and running work.
    ///
    /// Each new thread calls `begin`, then `carryOut` for each question. `bytes` returns a question's size in memory.
    init(
        _ kind: BackgroundPoolKind,
        threads: Int,
        bounds: PoolBounds,
        begin: @escaping @Sendable () -> Void = {},
        bytes: @escaping @Sendable (Question) -> Int = { _ in 256 },
        discard: @escaping @Sendable (Question) -> Void = { _ in },
        carryOut: @escaping @Sendable (Question) -> Prepared
    ) {
        self.threads = Swift.max(1, threads)
        unansweredMax = bounds.unanswered
        self.begin = begin
        self.carryOut = carryOut
        self.bytes = bytes
        self.discard = discard
        state = Mutex(State(queue: FairQueue(bounds)))
        meter = BackgroundMetrics(kind)
    }

    /// The number of further questions that the queue currently accepts.
    var room: Int { state.withLock { $0.isClosed ? 0 : $0.queue.room } }

    /// Returns the rejection of a sender's next question, or nil if the queue would accept the question.
    ///
    /// The result assumes that each sender in `others` first adds a question to the queue.
    func refusal(of sender: Sender, beside others: [Sender]) -> Rejection? {
        state.withLock { state in
            guard !state.isClosed else { return .poolIsFull }
            return Self.rejection(state.queue.isOpen(to: sender, beside: others))
        }
    }

    private static func rejection(_ outcome: FairQueue<Job>.Outcome) -> Rejection? {
        switch outcome {
        case .taken: nil
        case .crowded: .senderIsBusy
        case .full: .poolIsFull
        }
    }

    /// Accepts a question, or refuses the question immediately if there is no room.
    func submit(_ question: Question, from sender: Sender, done: @escaping @Sendable (Prepared) -> Void) {
        let size = bytes(question)
        let (outcome, mustStart) = state.withLock { state -> (FairQueue<Job>.Outcome, Bool) in
            guard !state.isClosed else { return (.full, false) }
            let job = Job(question: question, done: done)
            let outcome = state.queue.offer(job, from: sender, bytes: size)
            guard case .taken = outcome else { return (outcome, false) }
            return (outcome, takesThread(&state))
        }
        if mustStart { PlainThread.detach { self.work() } }
        if case .taken(let gone) = outcome { gone.forEach { refuse($0, .poolIsFull) } }
        if let rejection = Self.rejection(outcome) { refuse(Job(question: question, done: done), rejection) }
        measure()
    }

    private func refuse(_ job: Job, _ rejection: Rejection) {
        meter.rejected()
        discard(job.question)
        job.done(.refused(rejection))
    }

    /// Closes the queue: waiting work is refused, and running work is finished.
    func close() {
        let left = state.withLock { state in
            state.isClosed = true
            return state.queue.removeAll()
        }
        for job in left {
            discard(job.question)
            job.done(.refused(.poolIsFull))
        }
        measure()
    }

    // MARK: On a thread of the queue

    /// Returns whether another thread must be started, and if so, counts that thread as busy.
    private func takesThread(_ state: inout State) -> Bool {
        guard state.busy < threads, state.unanswered < unansweredMax, state.queue.count > 0
        else { return false }
        state.busy += 1
        return true
    }

    /// Lowers the count of unanswered work by one, and starts a thread if work is waiting.
    private func endPlace() {
        let mustStart = state.withLock { state in
            state.unanswered -= 1
            return takesThread(&state)
        }
        if mustStart { PlainThread.detach { self.work() } }
        measure()
    }

    private func work() {
        begin()
        while let (job, sender) = next() {
            measure()
            let start = ContinuousClock.now
            var prepared = carryOut(job.question)
            prepared.place = ResultPlace { self.endPlace() }
            discard(job.question)
            meter.took(ContinuousClock.now - start)
            state.withLock { $0.queue.end(sender) }
            job.done(prepared)
        }
        measure()
    }

    private func next() -> (Job, Sender)? {
        state.withLock { state in
            if state.unanswered < unansweredMax, let (job, sender) = state.queue.next() {
                state.unanswered += 1
                return (job, sender)
            }
            state.busy -= 1
            return nil
        }
    }

    private func measure() {
        let (waiting, busy, unanswered, bytes) = state.withLock {
            ($0.queue.count, $0.busy, $0.unanswered, $0.queue.bytes)
        }
        meter.depth(waiting: waiting, busy: busy, unanswered: unanswered, bytes: bytes)
    }
}
