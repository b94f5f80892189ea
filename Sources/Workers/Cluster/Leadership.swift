import Synchronization

/// The leadership of one of several processes, which alone does maintenance and sends mails and texts.
///
/// The leader is the process that holds the lane of the session worker.
package final class Leadership: Sendable {
    private let isOurs: Atomic<Bool>
    private let membership: Membership?

    /// Creates the leadership; the only process holds it from the start, one of several doesn't.
    package init(among membership: Membership? = nil) {
        self.membership = membership
        isOurs = Atomic(membership == nil)
    }

    /// Whether this process is the leader.
    package var isHeld: Bool {
        isOurs.load(ordering: .acquiring) && membership?.isTrusted ?? true
    }

    /// Sets whether this process holds the lane.
    func set(_ isHeld: Bool) { isOurs.store(isHeld, ordering: .releasing) }
}
