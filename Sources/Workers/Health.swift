/// The callbacks that report which parts of the service are ready.
package struct Health: Sendable {
    /// Reports that a part is ready.
    package let ready: @Sendable (_ part: String) -> Void
    /// Reports that a part is not ready, and why, as text for an operator.
    package let notReady: @Sendable (_ part: String, _ reason: String) -> Void

    /// Reports why the disk is low on space, or nil when it has enough space again.
    package var diskIsLow: @Sendable (_ reason: String?) -> Void = { _ in }

    /// Creates a set of callbacks; `diskIsLow` has no effect until it is set.
    package init(
        ready: @escaping @Sendable (_ part: String) -> Void,
        notReady: @escaping @Sendable (_ part: String, _ reason: String) -> Void
    ) {
        self.ready = ready
        self.notReady = notReady
    }
}
