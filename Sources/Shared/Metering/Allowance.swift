/// The messages and bytes that a connection may send each second, and at once after a rest.
///
/// A rate of 0 sets no limit; a burst of 0 stands for the rate of one second.
package struct Allowance: Sendable, Equatable {
    /// Messages a second in the long run.
    package var messagesPerSecond: Int
    /// Messages at once.
    package var messageBurst: Int
    /// Bytes a second in the long run: topic, payload and properties.
    package var bytesPerSecond: Int
    /// Bytes at once; a larger message never passes.
    package var byteBurst: Int

    /// Describes an allowance.
    package init(
        messagesPerSecond: Int,
        messageBurst: Int,
        bytesPerSecond: Int,
        byteBurst: Int
    ) {
        self.messagesPerSecond = messagesPerSecond
        self.messageBurst = messageBurst
        self.bytesPerSecond = bytesPerSecond
        self.byteBurst = byteBurst
    }

    /// No limit at all.
    package static let unlimited = Allowance(messagesPerSecond: 0, messageBurst: 0, bytesPerSecond: 0, byteBurst: 0)
}
