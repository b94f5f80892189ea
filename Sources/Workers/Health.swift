/// Reports which parts of the service are ready.
package struct Health: Sendable {
    /// Reports that a part is ready.
    package let ready: @Sendable (_ part: String) -> Void
    /// Reports that a part is not ready, with the reason in words for an operator.
    package let notReady: @Sendable (_ part: String, _ reason: String) -> Void

    /// Reports the reason for which the disk is low; nil when it has enough room again.
    package var diskIsLow: @Sendable (_ reason: String?) -> Void = { _ in }

    /// Reports to two functions.
    package init(
        ready: @escaping @Sendable (_ part: String) -> Void,
        notReady: @escaping @Sendable (_ part: String, _ reason: String) -> Void
    ) {
        self.ready = ready
        self.notReady = notReady
    }
}
