import Glibc

/// One message as it came from the broker: ranges in the bytes of its `Intake`.
///
/// It holds no memory of its own, so that a batch of a thousand costs no allocation.
package struct Delivery: Sendable {
    /// The topic.
    package var topic: Range<Int>
    /// The payload.
    package var payload: Range<Int>
    /// MQTT 5 Response Topic, if there is one.
    package var responseTopic: Range<Int>?
    /// MQTT 5 Correlation Data, if there is some.
    package var correlationData: Range<Int>?
    /// The source address of a request or registration, as the gate states it in the user property
    /// `lamplighter-address`: an IPv4 address or an IPv6 /64; nil if it is not counted.
    package var sourceAddress: Range<Int>?
    /// The value of the user property `traceparent`, if there is one.
    package var traceparent: Range<Int>?
    /// Whether the gate removed Correlation Data that was too long, which it states in the user property
    /// `lamplighter-fault`.
    package var isCorrelationTooLong = false
    /// With QoS 1 an acknowledgement is held for it; of the messages of a batch for the last one alone.
    package var quality: QualityOfService
    /// Whether it was kept from before the subscription.
    package var isRetained: Bool
}

/// The broker's receipt for a message published with QoS 1.
package struct PublishReceipt: Equatable, Sendable {
    /// The packet id that `publish` returned.
    package var mid: Int32
    /// 0: success; 0x10: no subscribers; 0x80 and above: refused.
    package var reasonCode: UInt8
    /// The connection of a set that the message took; packet ids are each connection's own.
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

/// One batch as it came from the broker, in memory that the next batch reuses.
package struct Intake: Sendable {
    /// Topics, payloads and properties of all deliveries, end to end.
    package private(set) var bytes: [UInt8] = []
    /// The deliveries, in the order in which they came.
    package private(set) var deliveries: [Delivery] = []
    /// The receipts for published messages, in the order in which they came.
    package private(set) var confirmed: [PublishReceipt] = []

    /// The number of bytes after which no further message is read; the last message may exceed it.
    package static let bytesMax = 4 << 20

    /// An intake with nothing in it.
    package init() {
        bytes.reserveCapacity(256 << 10)
        deliveries.reserveCapacity(1024)
        confirmed.reserveCapacity(1024)
    }

    /// Whether nothing came.
    package var isEmpty: Bool { deliveries.isEmpty && confirmed.isEmpty }

    /// Forgets the batch and keeps the memory, which it overwrites: passwords and tokens were among the bytes.
    ///
    /// It costs some microseconds a batch, since only what was used is written to. It does not reach messages that
    /// are still held or were copied as they waited, texts made of them, nor buffers of the library and the system.
    package mutating func removeAll() {
        bytes.withUnsafeMutableBytes {
            if let base = $0.baseAddress { explicit_bzero(base, $0.count) }
        }
        bytes.removeAll(keepingCapacity: true)
        deliveries.removeAll(keepingCapacity: true)
        confirmed.removeAll(keepingCapacity: true)
    }

    /// Copies a place out as text, for logs and tests; the path reads `bytes[range]`.
    package func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    /// Copies a piece of a message in and returns its range.
    package mutating func store(_ piece: UnsafeRawBufferPointer) -> Range<Int> {
        let start = bytes.count
        bytes.append(contentsOf: piece)
        return start..<bytes.count
    }

    /// Adds a message whose pieces are stored already.
    package mutating func append(_ delivery: Delivery) { deliveries.append(delivery) }

    /// Adds the receipt for a published message.
    package mutating func append(_ confirmation: PublishReceipt) { confirmed.append(confirmation) }
}
