package import Domain

/// A message that we owe to somebody: what the outbox keeps and the broker gets.
package struct OutboundMessage: Sendable, Equatable {
    /// Where it goes.
    package var topic: String
    /// What it says.
    package var payload: [UInt8]
    /// Whether the broker keeps it for those who subscribe later.
    package var isRetained: Bool
    /// When it loses its meaning: MQTT 5 message expiry counts down to it, and later it isn't sent.
    package var expiresAt: Instant?
    /// MQTT 5 correlation data, given back to the asker.
    package var correlation: [UInt8]?

    /// Makes a message.
    package init(
        _ topic: String,
        _ payload: [UInt8],
        isRetained: Bool = false,
        expiresAt: Instant? = nil,
        correlation: [UInt8]? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
        self.expiresAt = expiresAt
        self.correlation = correlation
    }

    /// How many seconds of it are left; nil where it keeps its meaning for good.
    package func secondsLeft(at now: Instant) -> Int64? { expiresAt.map(now.seconds(until:)) }
}
