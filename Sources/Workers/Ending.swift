import Synchronization

/// A flag that is set when this process is about to stop with all of its workers.
///
/// Terminals are notified if a single worker is missing, but not of each worker if the whole process stops.
package final class Ending: Sendable {
    private let isBegun = Atomic<Bool>(false)

    /// Whether the process has begun to stop.
    var hasBegun: Bool { isBegun.load(ordering: .acquiring) }

    /// Records that the process is about to stop.
    package func begin() { isBegun.store(true, ordering: .releasing) }
}
