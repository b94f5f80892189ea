import Synchronization

/// Whether this process is about to end with all of its workers.
///
/// Terminals aren't told of each worker that goes then: what they are told of is a worker that is away while others run.
package final class Ending: Sendable {
    private let isBegun = Atomic<Bool>(false)

    /// Whether the end has begun.
    var hasBegun: Bool { isBegun.load(ordering: .acquiring) }

    /// Notes that the process ends.
    package func begin() { isBegun.store(true, ordering: .releasing) }
}
