/// The messages and bytes that a connection may send per second and in a burst.
///
/// A rate of 0 sets no limit. A burst of 0 stands for the amount that the rate allows in one second.
package struct Allowance: Sendable, Equatable {
    /// The number of messages per second in the long run.
    package var messagesPerSecond: Int
    /// The number of messages in a burst.
    package var messageBurst: Int
    /// The number of bytes per second in the long run, counting topics, payloads and properties.
    package var bytesPerSecond: Int
    /// The number of bytes in a burst.
    ///
    /// A message larger than this number of bytes never passes.
    package var byteBurst: Int

    /// Makes an allowance.
    package init(messagesPerSecond: Int, messageBurst: Int, bytesPerSecond: Int, byteBurst: Int) {
        self.messagesPerSecond = messagesPerSecond
        self.messageBurst = messageBurst
        self.bytesPerSecond = bytesPerSecond
        self.byteBurst = byteBurst
    }

    /// An allowance without limits.
    package static let unlimited = Allowance(messagesPerSecond: 0, messageBurst: 0, bytesPerSecond: 0, byteBurst: 0)
}
