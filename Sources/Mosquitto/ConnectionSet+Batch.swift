import Batching
import CMosquitto

/// Messages that leave over one connection as the payload of one message.
///
/// Each message still has its own id for its receipt, which is not a packet id.
struct PublishBatch {
    let topic: String
    var writer = BatchWriter()
    /// The ids of the first waiting message and of the next message.
    var first: Int32 = 1
    var next: Int32 = 1
    /// The ids of sent and unconfirmed messages, by the id of their packet.
    var sent: [Int32: Range<Int32>] = [:]

    init(topic: String) { self.topic = topic }

    /// Returns the next id; ids begin again after the largest.
    mutating func takeID() -> Int32 {
        defer { next = next == .max - 1 ? 1 : next + 1 }
        return next
    }
}

extension ConnectionSet.Outlet {
    /// Puts a message into the batch, which leaves with the next `flush()` or when it is full.
    ///
    /// - Returns: The message's id, unique within this connection.
    /// - Throws: `MosquittoError`; as for a single message, `.invalid` and `.malformedUTF8` concern
    ///   this message only.
    func put(
        topic: String,
        payload: [UInt8],
        quality: QualityOfService,
        isRetained: Bool,
        properties: PublishProperties?
    ) throws(MosquittoError) -> Int32 {
        var topic = topic
        try Self.check(topic)
        guard topic.utf8.first != UInt8(ascii: "$") else {
            return try publishAlone(
                topic: topic,
                payload: payload,
                quality: quality,
                isRetained: isRetained
            )
        }
        let data = properties?.correlationData ?? []
        let trace = properties?.traceparent.map { Array($0.utf8) } ?? []
        let bytes = topic.utf8.count + payload.count + data.count + trace.count
        if batch?.writer.hasRoom(bytes: bytes) == false { try sendBatch() }
        guard var batch = self.batch else { return 0 }
        self.batch = nil
        topic.withUTF8 { topic in
            payload.withUnsafeBufferPointer { payload in
                var message = BatchedMessage(topic: topic, payload: payload)
                message.isAtLeastOnce = quality == .atLeastOnce
                message.isRetained = isRetained
                message.expirySeconds = properties?.messageExpirySeconds
                data.withUnsafeBufferPointer { data in
                    if properties?.correlationData != nil { message.correlation = data }
                    trace.withUnsafeBufferPointer { trace in
                        if !trace.isEmpty { message.traceparent = trace }
                        batch.writer.append(message)
                    }
                }
            }
        }
        let id = batch.takeID()
        let isFull = batch.writer.isFull || batch.next == 1
        self.batch = batch
        if isFull { try sendBatch() }
        return id
    }

    /// Publishes a command to the broker's plugin, which accepts commands only as packets of their
    /// own.
    ///
    /// It follows the waiting batch: the broker delivers all messages of a packet before it reads
    /// the connection's next one.
    private func publishAlone(
        topic: String,
        payload: [UInt8],
        quality: QualityOfService,
        isRetained: Bool
    ) throws(MosquittoError) -> Int32 {
        try sendBatch()
        let mid = try client.publish(
            topic: topic,
            payload: payload,
            quality: quality,
            isRetained: isRetained
        )
        guard var batch = self.batch else { return mid }
        let id = batch.takeID()
        batch.first = batch.next
        if quality == .atLeastOnce { batch.sent[mid] = id..<(id + 1) }
        self.batch = batch
        return id
    }

    /// Checks a topic as the library does; the broker's plugin does not check it again.
    private static func check(_ topic: String) throws(MosquittoError) {
        let count = topic.utf8.count
        guard !topic.utf8.contains(0), count <= Int(UInt16.max) else {
            throw MosquittoError(.invalid, function: "publish")
        }
        try Mosquitto.check(
            "mosquitto_pub_topic_check2",
            mosquitto_pub_topic_check2(topic, count)
        )
    }

    /// Publishes the batch.
    ///
    /// - Throws: `MosquittoError`; the connection is then unusable.
    func sendBatch() throws(MosquittoError) {
        guard let waiting = batch, !waiting.writer.isEmpty else { return }
        let mid = try client.publish(topic: waiting.topic, payload: waiting.writer.bytes)
        let end = waiting.next == 1 ? .max : waiting.next
        batch?.sent[mid] = waiting.first..<end
        batch?.first = waiting.next
        batch?.writer.removeAll()
    }

    /// Calls `body` with the receipts of all messages in a packet that the broker confirmed.
    func confirm(_ receipt: PublishReceipt, _ body: (PublishReceipt) -> Void) {
        guard let ids = batch?.sent.removeValue(forKey: receipt.mid) else { return body(receipt) }
        for id in ids {
            body(PublishReceipt(mid: id, reasonCode: receipt.reasonCode, outlet: receipt.outlet))
        }
    }
}
