import Domain
import Glibc
import Metrics
import Synchronization

/// Does slow work on threads of its own, a few at a time, with a bounded queue before them.
///
/// Threads begin with the work and end when none is left, so that an idle service has none.
package final class ThreadedPool: SlowPool {
    private struct Job: Sendable {
        var work: Preparation
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
    private let hasher: any PasswordHashing
    private let threads: Int
    private let queueMax: Int
    /// What an unknown user's password is verified against: made once, with today's parameters.
    private let dummy: String
    private let meter = SlowMetrics(.password)

    /// Makes a pool, which hashes once at once.
    package init(_ hasher: any PasswordHashing, threads: Int, queueMax: Int) throws {
        self.hasher = hasher
        self.threads = max(1, threads)
        self.queueMax = queueMax
        dummy = try hasher.hash(Array("nobody's".utf8))
    }

    package func room(in lane: SlowLane) -> Int {
        guard lane == .password else { return 0 }
        return state.withLock { $0.isClosed ? 0 : max(0, queueMax - $0.waiting) }
    }

    package func submit(_ work: Preparation, done: @escaping @Sendable (Prepared) -> Void) {
        guard work.lane == .password else { return done(Prepared()) }
        let (isTaken, mustStart) = state.withLock { state in
            guard !state.isClosed, state.waiting < queueMax else { return (false, false) }
            state.queue.append(Job(work: work, done: done))
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
            defer {
                state.queue = []
                state.head = 0
            }
            return Array(state.queue[state.head...])
        }
        for job in left { job.done(.refused(Self.isFull)) }
        measure()
    }

    // MARK: On a thread of the pool

    private func work() {
        // Devices report while people log in: who hashes gives way (Linux: this thread alone).
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 15)
        while let job = next() {
            measure()
            let start = ContinuousClock.now
            let prepared = carryOut(job.work)
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

    private func carryOut(_ work: Preparation) -> Prepared {
        var prepared = Prepared()
        do {
            switch work {
            case .commit, .refusal, .identity, .history: break
            case .hash(let password): prepared.hash = try hasher.hash(password)
            case .verify(let password, let encoded):
                try verify(password, encoded, &prepared)
            case .verifyEach(let password, let hashes):
                for encoded in hashes { try verify(password, encoded, &prepared) }
            case .both(let password, let encoded, let new):
                try verify(password, encoded, &prepared)
                prepared.hash = try hasher.hash(new)
            }
            return prepared
        } catch {
            return .refused(
                Rejection(.unavailable, "The password can't be hashed now.", retryAfter: 5)
            )
        }
    }

    private func verify(
        _ password: [UInt8],
        _ encoded: String?,
        _ prepared: inout Prepared
    ) throws {
        guard hasher.verify(password, against: encoded ?? dummy), let encoded,
            prepared.matched == nil
        else { return }
        prepared.matched = encoded
        if hasher.needsRehash(encoded) { prepared.rehashed = try hasher.hash(password) }
    }

    private func measure() {
        let (waiting, busy) = state.withLock { ($0.waiting, $0.busy) }
        meter.depth(waiting: waiting, busy: busy)
    }
}
