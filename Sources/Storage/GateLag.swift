import Synchronization

/// The time for which a file has lacked committed changes, read without waiting for its writer.
final class GateLag: Sendable {
    private let began = ContinuousClock.now
    /// Milliseconds from `began` until the file fell behind; negative while it is complete.
    private let since = Atomic<Int64>(-1)

    /// Notes that the file is behind from now on; keeps an earlier moment.
    func begin() {
        _ = since.compareExchange(expected: -1, desired: elapsed, ordering: .relaxed)
    }

    /// Notes that the file is complete.
    func end() { since.store(-1, ordering: .relaxed) }

    /// How long the file has been behind, at least a millisecond; zero while it is complete.
    var time: Duration {
        let since = since.load(ordering: .relaxed)
        return since < 0 ? .zero : .milliseconds(max(1, elapsed - since))
    }

    private var elapsed: Int64 { Int64((ContinuousClock.now - began) / .milliseconds(1)) }
}
