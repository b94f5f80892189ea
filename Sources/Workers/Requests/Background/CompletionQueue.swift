import Synchronization

/// A queue that returns the results of slow work to the worker that requested the work.
///
/// A result stays in the queue while its request is waiting. Therefore, a retried transaction finds the result again.
final class CompletionQueue: Sendable {
    private let results = Mutex<[UInt64: Prepared]>([:])
    private let ring: @Sendable () -> Void

    /// Makes a queue; `ring` wakes the worker that owns the queue.
    init(ring: @escaping @Sendable () -> Void) { self.ring = ring }

    /// Returns whether there is a result for which a request is waiting.
    func has(_ isAwaited: (UInt64) -> Bool) -> Bool {
        results.withLock { results in results.keys.contains { isAwaited($0) } }
    }

    /// Stores a result, and wakes the worker that owns the queue.
    func put(_ prepared: Prepared, for job: UInt64) {
        results.withLock { $0[job] = prepared }
        ring()
    }

    /// Returns the awaited results in the order of their jobs, and discards all others.
    func results(for isAwaited: (UInt64) -> Bool) -> [(job: UInt64, prepared: Prepared)] {
        let awaited = results.withLock { results in
            results = results.filter { isAwaited($0.key) }
            return results
        }
        return awaited.sorted { $0.key < $1.key }.map { (job: $0.key, prepared: $0.value) }
    }
}

/// Slow work that a batch requests, and that is submitted after the commit.
struct BackgroundJob: Sendable {
    var number: UInt64
    var work: BackgroundTask
    var sender: Sender
    var completions: CompletionQueue
    /// The topic of the request's answer.
    var reply: String

    /// Submits the work, whose result later goes into the completion queue.
    func submit(to environment: Environment) {
        if case .events(let wait) = work {
            return environment.eventWatch.add(wait) { [number, completions] in
                var prepared = Prepared()
                prepared.eventWait = wait
                completions.put(prepared, for: number)
            }
        }
        guard work.pool != nil else {
            return completions.put(Prepared(without: work), for: number)
        }
        environment.pool.submit(work, from: sender) { [number, completions] in completions.put($0, for: number)
        }
    }
}
