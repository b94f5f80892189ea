import Synchronization

/// Whether this process does what only one of several does: maintenance, and sending mails and texts.
///
/// It is the one that holds the lane of the session worker.
package final class Leadership: Sendable {
    private let isOurs: Atomic<Bool>
    private let membership: Membership?

    /// Begins with it, as the only process; or without, as one of several.
    package init(among membership: Membership? = nil) {
        self.membership = membership
        isOurs = Atomic(membership == nil)
    }

    /// Whether this process has it.
    package var isHeld: Bool {
        isOurs.load(ordering: .acquiring) && membership?.isTrusted ?? true
    }

    /// Notes whether this process holds the lane.
    func set(_ isHeld: Bool) { isOurs.store(isHeld, ordering: .releasing) }
}
