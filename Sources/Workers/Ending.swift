import Synchronization

/// A flag that this process is about to stop with all of its workers.
///
/// Terminals are notified when a worker is missing while the process runs on, but not of each worker when the whole
/// process stops.
package final class Ending: Sendable {
    private let isBegun = Atomic<Bool>(false)

    /// Whether the end has begun.
    var hasBegun: Bool { isBegun.load(ordering: .acquiring) }

    /// Records that the process is about to stop.
    package func begin() { isBegun.store(true, ordering: .releasing) }
}
