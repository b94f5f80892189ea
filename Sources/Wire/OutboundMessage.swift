/// A message that we owe to somebody: what the outbox keeps and the broker gets.
package struct OutboundMessage: Sendable, Equatable {
    /// Where it goes.
    package var topic: String
    /// What it says.
    package var payload: [UInt8]
    /// Whether the broker keeps it for those who subscribe later.
    package var isRetained: Bool
    /// MQTT 5 message expiry, in seconds.
    package var expirySeconds: UInt32?
    /// MQTT 5 correlation data, given back to the asker.
    package var correlation: [UInt8]?

    /// Makes a message.
    package init(
        _ topic: String,
        _ payload: [UInt8],
        isRetained: Bool = false,
        expirySeconds: UInt32? = nil,
        correlation: [UInt8]? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
        self.expirySeconds = expirySeconds
        self.correlation = correlation
    }
}
