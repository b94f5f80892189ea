/// Says which parts of the service are ready, to whoever keeps the list.
package struct Health: Sendable {
    /// Says that a part is ready.
    package let ready: @Sendable (_ part: String) -> Void
    /// Says that a part is not ready, and why, in words for an operator.
    package let notReady: @Sendable (_ part: String, _ reason: String) -> Void

    /// Says why the disk has too little room; nil when it has enough again.
    package var diskIsLow: @Sendable (_ reason: String?) -> Void = { _ in }

    /// Tells two functions.
    package init(
        ready: @escaping @Sendable (_ part: String) -> Void,
        notReady: @escaping @Sendable (_ part: String, _ reason: String) -> Void
    ) {
        self.ready = ready
        self.notReady = notReady
    }

    /// Tells nobody.
    package static let silent = Health(ready: { _ in }, notReady: { _, _ in })
}
