import Glibc

/// A message from the broker, whose parts are ranges in the bytes of an `Intake`.
///
/// Ranges save the allocations that separate copies would need.
package struct Delivery: Sendable {
    /// The range of the topic.
    package var topic: Range<Int>
    /// The range of the payload.
    package var payload: Range<Int>
    /// The range of the MQTT 5 Response Topic, or nil if the message has none.
    package var responseTopic: Range<Int>?
    /// The range of the MQTT 5 Correlation Data, or nil if the message has none.
    package var correlationData: Range<Int>?
    /// The range of the source address, from the gate's user property `lamplighter-address`.
    ///
    /// The address is an IPv4 address or the /64 network of an IPv6 address. The range is nil if the gate exempts the
    /// source address from all limits.
    package var sourceAddress: Range<Int>?
    /// The range of the value of the user property `traceparent`, or nil if the message doesn't have this property.
    package var traceparent: Range<Int>?
    /// True if the property `lamplighter-fault` shows that the gate removed Correlation Data that was too long.
    package var isCorrelationTooLong = false
    /// The delivery guarantee.
    ///
    /// For QoS 1, the client holds the delivery's acknowledgement until the caller permits it. In a batch, only the
    /// last message has QoS 1.
    package var quality: QualityOfService
    /// Whether the broker had retained the message before the subscription.
    package var isRetained: Bool
}

/// The broker's receipt for a message published with QoS 1.
package struct PublishReceipt: Equatable, Sendable {
    /// The id that `publish` returned.
    package var mid: Int32
    /// The broker's reason code: 0 (success), 0x10 (no subscribers), or 0x80 and above (refusal).
    package var reasonCode: UInt8
    /// The number of the outlet that sent the message, or nil if the receiving connection sent it.
    ///
    /// Message ids are unique only within one connection.
    package var outlet: Int?

    /// Makes a receipt.
    package init(mid: Int32, reasonCode: UInt8, outlet: Int? = nil) {
        self.mid = mid
        self.reasonCode = reasonCode
        self.outlet = outlet
    }

    /// Whether the broker refused the message.
    package var isRefused: Bool { reasonCode >= 0x80 }
}

/// The messages and receipts that were received together from the broker, in memory that is reused.
package struct Intake: Sendable {
    /// The bytes of the topics, payloads and properties of all deliveries, one after another.
    package private(set) var bytes: [UInt8] = []
    /// The deliveries, in the order of their arrival.
    package private(set) var deliveries: [Delivery] = []
    /// The receipts for published messages, in the order of their arrival.
    package private(set) var confirmed: [PublishReceipt] = []

    /// The number of bytes after which no further message is read.
    package static let bytesMax = 4 << 20

    /// Makes an empty intake.
    package init() {
        bytes.reserveCapacity(256 << 10)
        deliveries.reserveCapacity(1024)
        confirmed.reserveCapacity(1024)
    }

    /// Whether nothing was received.
    package var isEmpty: Bool { deliveries.isEmpty && confirmed.isEmpty }

    /// Removes all messages and receipts, and overwrites the memory, which can contain passwords and tokens.
    ///
    /// Only used memory is overwritten, which takes a few microseconds. Copies of secrets can remain in waiting
    /// messages and in strings made from messages. Copies can also remain in buffers of the library and the system.
    package mutating func removeAll() {
        bytes.withUnsafeMutableBytes { if let base = $0.baseAddress { explicit_bzero(base, $0.count) } }
        bytes.removeAll(keepingCapacity: true)
        deliveries.removeAll(keepingCapacity: true)
        confirmed.removeAll(keepingCapacity: true)
    }

    /// Returns the text of a range for logs and tests (workers read `bytes[range]`).
    package func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Appends a piece of a message, and returns the range of the piece.
    package mutating func store(_ piece: UnsafeRawBufferPointer) -> Range<Int> {
        let start = bytes.count
        bytes.append(contentsOf: piece)
        return start..<bytes.count
    }

    /// Adds a message whose pieces are already stored.
    package mutating func append(_ delivery: Delivery) { deliveries.append(delivery) }

    /// Adds the receipt for a published message.
    package mutating func append(_ confirmation: PublishReceipt) { confirmed.append(confirmation) }
}
