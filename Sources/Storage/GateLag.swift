import Synchronization

/// The time for which committed changes have been missing from the gate's file; it can be read without a lock.
final class GateLag: Sendable {
    private let began = ContinuousClock.now
    /// The time from `began` until the file started to lack changes, in milliseconds; negative while the file is
    /// complete.
    private let since = Atomic<Int64>(-1)

    /// Records that the file lacks changes from now on; does nothing if it already lacked changes.
    func begin() {
        _ = since.compareExchange(expected: -1, desired: elapsed, ordering: .relaxed)
    }

    /// Records that the file is complete.
    func end() { since.store(-1, ordering: .relaxed) }

    /// How long changes have been missing from the file, at least a millisecond; zero while the file is complete.
    var time: Duration {
        let since = since.load(ordering: .relaxed)
        return since < 0 ? .zero : .milliseconds(max(1, elapsed - since))
    }

    private var elapsed: Int64 { Int64((ContinuousClock.now - began) / .milliseconds(1)) }
}
