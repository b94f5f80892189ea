import Synchronization

/// A flag that this process is about to stop with all of its workers.
///
/// Terminals are notified of a worker that is absent while others run, but not of each worker that
/// stops then.
package final class Ending: Sendable {
    private let isBegun = Atomic<Bool>(false)

    /// Whether the end has begun.
    var hasBegun: Bool { isBegun.load(ordering: .acquiring) }

    /// Records that the process is about to stop.
    package func begin() { isBegun.store(true, ordering: .releasing) }
}
