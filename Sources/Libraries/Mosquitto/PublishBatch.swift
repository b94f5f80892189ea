import Batching
import CMosquitto

/// A message to be published.
struct Message {
    var topic: String
    var payload: [UInt8]
    var quality = QualityOfService.atLeastOnce
    var isRetained = false
    var properties: PublishProperties?
}

/// The messages that an outlet sends together, as the payload of one message.
///
/// Each message in the batch has its own id for its receipt. This id isn't a packet id.
final class PublishBatch {
    let topic: String
    private(set) var writer = BatchWriter()
    /// The id of the oldest waiting message.
    private var first: Int32 = 1
    /// The id that the next added message will get.
    private var next: Int32 = 1
    /// The ids of sent but unconfirmed messages, by the id of their packet.
    private var sent: [Int32: Range<Int32>] = [:]

    init(topic: String) { self.topic = topic }

    /// Whether the batch must be sent before another message is added.
    ///
    /// The ids of a batch are one range. A batch therefore also ends when the next id is 1 again.
    var isFull: Bool { writer.isFull || next == 1 }

    /// Returns the id for the next message.
    ///
    /// When the largest id has been used, the ids begin at 1 again.
    func takeID() -> Int32 {
        defer { next = next == .max - 1 ? 1 : next + 1 }
        return next
    }

    /// Records that the waiting messages were sent in the packet `mid`.
    ///
    /// If the packet gets no receipt, `mid` is nil.
    func markSent(as mid: Int32?) {
        if let mid { sent[mid] = first..<(next == 1 ? .max : next) }
        first = next
        writer.removeAll()
    }

    /// Returns the ids of the messages in a confirmed packet, and forgets them.
    func removeSent(_ mid: Int32) -> Range<Int32>? { sent.removeValue(forKey: mid) }

    /// The bytes of the message properties that a batch can carry.
    struct Fields {
        var responseTopic: [UInt8]?
        var correlation: [UInt8]?
        var sourceAddress: [UInt8]?
        var traceparent: [UInt8]?

        init(_ properties: PublishProperties?) {
            responseTopic = properties?.responseTopic.map { Array($0.utf8) }
            correlation = properties?.correlationData
            sourceAddress = properties?.sourceAddress.map { Array($0.utf8) }
            traceparent = properties?.traceparent.flatMap { $0.isEmpty ? nil : Array($0.utf8) }
        }

        /// The total length of the properties, in bytes.
        var bytes: Int {
            let most = (responseTopic?.count ?? 0) + (correlation?.count ?? 0)
            return most + (sourceAddress?.count ?? 0) + (traceparent?.count ?? 0)
        }
    }

    /// Adds a message with these properties.
    func append(_ message: Message, _ fields: Fields) {
        var topic = message.topic
        topic.withUTF8 { topic in
            message.payload.withUnsafeBufferPointer { payload in
                var batched = BatchedMessage(topic: topic, payload: payload)
                batched.isAtLeastOnce = message.quality == .atLeastOnce
                batched.isRetained = message.isRetained
                batched.expirySeconds = message.properties?.messageExpirySeconds
                Self.lend(fields.responseTopic) {
                    batched.responseTopic = $0
                    Self.lend(fields.correlation) {
                        batched.correlation = $0
                        Self.lend(fields.sourceAddress) {
                            batched.sourceAddress = $0
                            Self.lend(fields.traceparent) {
                                batched.traceparent = $0
                                writer.append(batched)
                            }
                        }
                    }
                }
            }
        }
    }

    private static func lend(_ bytes: [UInt8]?, _ body: (UnsafeBufferPointer<UInt8>?) -> Void) {
        guard let bytes else { return body(nil) }
        bytes.withUnsafeBufferPointer(body)
    }
}

extension Connection {
    /// Adds a message to the batch, or publishes it separately if the connection has no batches.
    ///
    /// The batch is sent when it is full or at the next flush.
    ///
    /// - Returns: The message's id, unique within this connection.
    /// - Throws: `MosquittoError`. The codes `.invalid` and `.malformedUTF8` concern this message only, and not the
    ///   batch.
    func put(_ message: Message) throws(MosquittoError) -> Int32 {
        guard let batch else { return try publish(message) }
        try checkTopic(message.topic)
        guard message.topic.utf8.first != UInt8(ascii: "$") else { return try publishAlone(message, after: batch) }
        let fields = PublishBatch.Fields(message.properties)
        let bytes = message.topic.utf8.count + message.payload.count + fields.bytes
        if !batch.writer.hasRoom(bytes: bytes) { try sendBatch() }
        batch.append(message, fields)
        let id = batch.takeID()
        if batch.isFull { try sendBatch() }
        return id
    }

    /// Publishes a command to the broker's plugin in a separate packet, because batches can't contain commands.
    ///
    /// The waiting batch is sent first. The broker delivers the batch's messages before it reads the command.
    private func publishAlone(_ message: Message, after batch: PublishBatch) throws(MosquittoError) -> Int32 {
        try sendBatch()
        let mid = try publish(message)
        let id = batch.takeID()
        batch.markSent(as: message.quality == .atLeastOnce ? mid : nil)
        return id
    }

    /// Checks the topic of a message for a batch, as the library checks the topic of a separate message.
    ///
    /// The broker's plugin would skip a message with an invalid topic, and the caller would get no error.
    private func checkTopic(_ topic: String) throws(MosquittoError) {
        let count = topic.utf8.count
        guard !topic.utf8.contains(0), count <= Int(UInt16.max) else {
            throw MosquittoError(.invalid, function: "publish")
        }
        try check("mosquitto_pub_topic_check2", mosquitto_pub_topic_check2(topic, count))
    }

    /// Moves the receipts to another intake, and replaces a batch's receipt by a receipt for each of its messages.
    func moveReceipts(to intake: inout Intake) {
        for receipt in self.intake.confirmed {
            guard let ids = batch?.removeSent(receipt.mid) else {
                intake.append(receipt)
                continue
            }
            for id in ids {
                intake.append(PublishReceipt(mid: id, reasonCode: receipt.reasonCode, outlet: receipt.outlet))
            }
        }
        self.intake.removeAll()
    }
}
