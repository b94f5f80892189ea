/// A message to be published: the outbox keeps it until the broker has confirmed it.
package struct OutboundMessage: Sendable, Equatable {
    /// The topic.
    package var topic: String
    /// The payload.
    package var payload: [UInt8]
    /// Whether the broker keeps it for later subscribers.
    package var isRetained: Bool
    /// The time from which it is no longer sent; MQTT 5 message expiry counts down to it.
    package var expiresAt: Instant?
    /// The MQTT 5 correlation data of the request, returned to its sender.
    package var correlation: [UInt8]?
    /// The request's user property `traceparent`, returned to its sender.
    package var traceparent: String?

    /// Makes a message.
    package init(
        _ topic: String,
        _ payload: [UInt8],
        isRetained: Bool = false,
        expiresAt: Instant? = nil,
        correlation: [UInt8]? = nil,
        traceparent: String? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
        self.expiresAt = expiresAt
        self.correlation = correlation
        self.traceparent = traceparent
    }

    /// Returns the seconds until it expires; nil if it doesn't.
    package func secondsLeft(at now: Instant) -> Int64? { expiresAt.map(now.seconds(until:)) }
}
