import Synchronization

/// A flag that is set while the process is stopping, so that terminals get no notice about single workers.
package final class Ending: Sendable {
    private let isBegun = Atomic<Bool>(false)

    /// Whether the process has begun to stop.
    var hasBegun: Bool { isBegun.load(ordering: .acquiring) }

    /// Records that the process is about to stop.
    package func begin() { isBegun.store(true, ordering: .releasing) }
}
