import Synchronization

/// A flag that is set when the process begins to stop.
///
/// From then on, terminals aren't notified when a worker goes offline, and no reader waits for events.
package final class Ending: Sendable {
    private let isBegun = Atomic<Bool>(false)

    /// Whether the process has begun to stop.
    var hasBegun: Bool { isBegun.load(ordering: .acquiring) }

    /// Records that the process is about to stop.
    package func begin() { isBegun.store(true, ordering: .releasing) }
}
