import Synchronization

/// The role of the process with the session worker's lane.
///
/// That process also runs maintenance and sends e-mails and text messages.
package final class Leadership: Sendable {
    private let isOurs: Atomic<Bool>
    private let membership: Membership?

    /// Creates the leadership; a process that works alone is the leader from the start.
    package init(among membership: Membership? = nil) {
        self.membership = membership
        isOurs = Atomic(membership == nil)
    }

    /// Whether this process is the leader.
    package var isHeld: Bool {
        isOurs.load(ordering: .acquiring) && membership?.isTrusted ?? true
    }

    /// Sets whether this process holds the lane of the session worker.
    func set(_ isHeld: Bool) { isOurs.store(isHeld, ordering: .releasing) }
}
