import Synchronization

/// Since when a file has lacked something that is committed, read without waiting for its writer.
final class GateLag: Sendable {
    private let began = ContinuousClock.now
    /// Milliseconds from `began` until the file fell behind; negative while it has all.
    private let since = Atomic<Int64>(-1)

    /// Notes that the file lacks something from now on; keeps an earlier moment.
    func begin() {
        _ = since.compareExchange(expected: -1, desired: elapsed, ordering: .relaxed)
    }

    /// Notes that the file has all.
    func end() { since.store(-1, ordering: .relaxed) }

    /// How long the file has been behind, at least a millisecond; zero while it has all.
    var time: Duration {
        let since = since.load(ordering: .relaxed)
        return since < 0 ? .zero : .milliseconds(max(1, elapsed - since))
    }

    private var elapsed: Int64 { Int64((ContinuousClock.now - began) / .milliseconds(1)) }
}
