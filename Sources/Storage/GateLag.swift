import Synchronization

/// Measures how long committed changes have been missing from the gate's file; no method waits for a lock.
final class GateLag: Sendable {
    private let began = ContinuousClock.now
    /// The moment since which the file lacks changes, in milliseconds after `began`; negative while the file is
    /// complete.
    private let since = Atomic<Int64>(-1)

    /// Records that from now on changes are missing from the file, unless that is already recorded.
    func begin() {
        _ = since.compareExchange(expected: -1, desired: elapsed, ordering: .relaxed)
    }

    /// Marks the file as complete.
    func end() { since.store(-1, ordering: .relaxed) }

    /// How long changes have been missing from the file; zero only while the file is complete.
    var time: Duration {
        let since = since.load(ordering: .relaxed)
        return since < 0 ? .zero : .milliseconds(max(1, elapsed - since))
    }

    private var elapsed: Int64 { Int64((ContinuousClock.now - began) / .milliseconds(1)) }
}
