/// A message to be published, which the outbox keeps until the broker has confirmed it.
package struct OutboundMessage: Sendable, Equatable {
    /// The topic.
    package var topic: String
    /// The payload.
    package var payload: [UInt8]
    /// Whether the broker retains the message for later subscribers.
    package var isRetained: Bool
    /// The time at which the message expires, used for MQTT 5's message expiry interval.
    package var expiresAt: Instant?
    /// The MQTT 5 correlation data of the request, if this message is an answer.
    package var correlation: [UInt8]?
    /// The user property `traceparent` of the request, if this message is an answer.
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

    /// Returns the number of seconds until the message expires, or nil if it never expires.
    package func secondsLeft(at now: Instant) -> Int64? { expiresAt.map(now.seconds(until:)) }
}
