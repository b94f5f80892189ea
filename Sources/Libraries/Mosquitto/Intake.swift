import Glibc

/// One message received from the broker: ranges in the bytes of its `Intake`.
///
/// It holds no memory of its own, so that a batch of a thousand costs no allocation.
package struct Delivery: Sendable {
    /// The topic.
    package var topic: Range<Int>
    /// The payload.
    package var payload: Range<Int>
    /// The MQTT 5 Response Topic, if any.
    package var responseTopic: Range<Int>?
    /// The MQTT 5 Correlation Data, if any.
    package var correlationData: Range<Int>?
    /// The source address of a request or registration, as the gate states it in the user property
    /// `lamplighter-address`: an IPv4 address or an IPv6 /64; nil if it is not counted.
    package var sourceAddress: Range<Int>?
    /// The value of the user property `traceparent`, if any.
    package var traceparent: Range<Int>?
    /// Whether the gate removed Correlation Data that was too long, which it states in the user property
    /// `lamplighter-fault`.
    package var isCorrelationTooLong = false
    /// The delivery guarantee; with QoS 1 an acknowledgement is held, in a batch for the last message alone.
    package var quality: QualityOfService
    /// Whether the broker retained it from before the subscription.
    package var isRetained: Bool
}

/// The broker's receipt for a message published with QoS 1.
package struct PublishReceipt: Equatable, Sendable {
    /// The id that `publish` returned.
    package var mid: Int32
    /// 0: success; 0x10: no subscribers; 0x80 and above: refused.
    package var reasonCode: UInt8
    /// The outlet that carried the message; each connection has its own ids.
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

/// One batch received from the broker, in memory that the next batch reuses.
package struct Intake: Sendable {
    /// Topics, payloads and properties of all deliveries, end to end.
    package private(set) var bytes: [UInt8] = []
    /// The deliveries, in the order of their arrival.
    package private(set) var deliveries: [Delivery] = []
    /// The receipts for published messages, in the order of their arrival.
    package private(set) var confirmed: [PublishReceipt] = []

    /// The number of bytes after which no further message is read; the last message may exceed it.
    package static let bytesMax = 4 << 20

    /// Makes an empty intake.
    package init() {
        bytes.reserveCapacity(256 << 10)
        deliveries.reserveCapacity(1024)
        confirmed.reserveCapacity(1024)
    }

    /// Whether nothing was received.
    package var isEmpty: Bool { deliveries.isEmpty && confirmed.isEmpty }

    /// Removes the batch and overwrites its memory, which is kept: passwords and tokens were among the bytes.
    ///
    /// It costs some microseconds a batch, since only the used memory is overwritten. It does not reach messages that
    /// are still held or were copied as they waited, texts made from them, or buffers of the library and the system.
    package mutating func removeAll() {
        bytes.withUnsafeMutableBytes { if let base = $0.baseAddress { explicit_bzero(base, $0.count) } }
        bytes.removeAll(keepingCapacity: true)
        deliveries.removeAll(keepingCapacity: true)
        confirmed.removeAll(keepingCapacity: true)
    }

    /// Returns a range as text, for logs and tests; workers read `bytes[range]`.
    package func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Appends a piece of a message and returns its range.
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
