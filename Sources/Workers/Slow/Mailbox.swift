import Synchronization

/// Results of slow work on their way back to the worker that asked.
///
/// A result stays until its request is gone: a transaction that failed finds it again.
final class Mailbox: Sendable {
    private let results = Mutex<[UInt64: Prepared]>([:])
    private let ring: @Sendable () -> Void

    /// Makes a mailbox; `ring` wakes its owner.
    init(ring: @escaping @Sendable () -> Void) { self.ring = ring }

    /// Tells whether a result is there that somebody waits for.
    func has(_ isAwaited: (UInt64) -> Bool) -> Bool {
        results.withLock { results in results.keys.contains { isAwaited($0) } }
    }

    /// Leaves a result, and wakes the owner.
    func put(_ prepared: Prepared, for job: UInt64) {
        results.withLock { $0[job] = prepared }
        ring()
    }

    /// The results that somebody waits for, in the order of their jobs; others are forgotten.
    func results(for isAwaited: (UInt64) -> Bool) -> [(job: UInt64, prepared: Prepared)] {
        let awaited = results.withLock { results in
            results = results.filter { isAwaited($0.key) }
            return results
        }
        return awaited.sorted { $0.key < $1.key }.map { (job: $0.key, prepared: $0.value) }
    }
}

/// Slow work that a batch asks for, to be submitted after the commit.
struct SlowJob: Sendable {
    var number: UInt64
    var work: Preparation
    var sender: Sender
    var mailbox: Mailbox

    /// Has the work done; its result comes to the mailbox.
    func submit(to pool: any SlowPool) {
        guard work.lane != nil else {
            return mailbox.put(Prepared(without: work), for: number)
        }
        pool.submit(work, from: sender) { [number, mailbox] in mailbox.put($0, for: number) }
    }
}
