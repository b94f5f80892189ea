/// A message of a batch, which points to bytes that it doesn't own.
///
/// The bytes stay valid only during the call that lends them, such as `withUnsafeBufferPointer`.
package struct BatchedMessage {
    /// The topic, in UTF-8.
    package var topic: UnsafeBufferPointer<UInt8>
    /// The payload.
    package var payload: UnsafeBufferPointer<UInt8>
    /// True if the message has QoS 1, false if it has QoS 0.
    package var isAtLeastOnce = true
    /// Whether the broker retains the message.
    package var isRetained = false
    /// The MQTT 5 Message Expiry Interval, in seconds.
    package var expirySeconds: UInt32?
    /// The MQTT 5 Response Topic.
    package var responseTopic: UnsafeBufferPointer<UInt8>?
    /// The MQTT 5 Correlation Data.
    package var correlation: UnsafeBufferPointer<UInt8>?
    /// The source address of a request or registration, as reported by the gate.
    package var sourceAddress: UnsafeBufferPointer<UInt8>?
    /// The value of the user property `traceparent`.
    package var traceparent: UnsafeBufferPointer<UInt8>?
    /// Whether the gate removed the Correlation Data because it was too long.
    package var isCorrelationTooLong = false

    /// Makes a message of QoS 1 without properties.
    package init(topic: UnsafeBufferPointer<UInt8>, payload: UnsafeBufferPointer<UInt8>) {
        self.topic = topic
        self.payload = payload
    }

    /// The total length of the message's topic, payload and properties, in bytes.
    package var bytes: Int {
        topic.count + payload.count + (responseTopic?.count ?? 0) + (correlation?.count ?? 0)
            + (sourceAddress?.count ?? 0) + (traceparent?.count ?? 0)
    }
}

/// The flags of a message, which also say which optional fields are present.
///
/// A message in a batch begins with the byte of flags. The topic follows with its length in two bytes. Then comes the
/// payload with its length in four bytes. The optional fields come last, beginning with the expiry in four bytes. The
/// others are the response topic, correlation data, source address and traceparent. Each of these has its length in two
/// bytes. All numbers are big-endian, as in MQTT.
struct BatchFlags: OptionSet {
    let rawValue: UInt8

    static let atLeastOnce = BatchFlags(rawValue: 1)
    static let retained = BatchFlags(rawValue: 1 << 1)
    static let expiry = BatchFlags(rawValue: 1 << 2)
    static let responseTopic = BatchFlags(rawValue: 1 << 3)
    static let correlation = BatchFlags(rawValue: 1 << 4)
    static let sourceAddress = BatchFlags(rawValue: 1 << 5)
    static let correlationTooLong = BatchFlags(rawValue: 1 << 6)
    static let traceparent = BatchFlags(rawValue: 1 << 7)
}
