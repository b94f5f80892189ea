import Batching
import CMosquittoBroker
import Glibc

// Many messages in one packet, between the broker and the service's workers. Mosquitto 2.0 reads one packet of a
// connection in each round of its loop, and with many busy devices there are few rounds a second, which would limit the
// messages that a worker can acknowledge and publish one by one. So a worker gets all deliveries of one round as one
// message, which it acknowledges once, and publishes many messages as one to `$CONTROL/lamplighter/publish`. The
// broker's own messages, and messages queued for an absent worker, are delivered one by one.

/// The message that the broker is passing on to its subscribers, between MESSAGE and the last ACL_CHECK about it.
///
/// The memory belongs to the broker and is valid for that time.
struct PassingMessage {
    var topic: Bytes
    var payload: Bytes
    var properties: OpaquePointer?
}

/// The messages that wait for a worker until the end of the round.
final class OutgoingBatch {
    let topic: String
    let topicBytes: [UInt8]
    var writer = BatchWriter()
    /// The serial number of the last message added: no message is added twice.
    var lastSerial: UInt64 = 0

    init(topic: [UInt8]) {
        topicBytes = topic
        self.topic = String(decoding: topic, as: UTF8.self)
    }
}

extension Gate {
    /// Notes that a worker subscribed to its batches, and delivers in batches from now on.
    func beginBatches(of client: Client, _ filter: Bytes) {
        guard Topic.isBelow(filter, batchTopics),
            client.isWorker(named: Bytes(rebasing: filter.dropFirst(batchTopics.count)))
        else { return }
        client.outgoing = client.outgoing ?? OutgoingBatch(topic: Array(filter))
    }

    /// Notes that a worker unsubscribed from its batches: the broker delivers messages one by one again.
    func endBatches(of client: Client, _ filter: Bytes) {
        guard let batch = client.outgoing, filter.elementsEqual(batch.topicBytes) else { return }
        sendBatches()
        client.outgoing = nil
    }

    /// Whether a topic belongs to another worker's batches, which a filter over all topics matches as well.
    func isBatchOfOther(_ client: Client, _ topic: Bytes) -> Bool {
        Topic.isBelow(topic, batchTopics)
            && !client.isWorker(named: Bytes(rebasing: topic.dropFirst(batchTopics.count)))
    }

    /// Notes a message whose subscribers the broker looks up next.
    func note(passing topic: Bytes, payload: Bytes, properties: OpaquePointer?) {
        passingSerial &+= 1
        passing = PassingMessage(topic: topic, payload: payload, properties: properties)
    }

    /// Forgets the passing message, whose memory is no longer valid at the next event that isn't one of its deliveries.
    func endPassing() { passing = nil }

    /// Takes over the delivery of a message to a worker; returns false if the broker is to deliver it.
    ///
    /// The topic shows that a delivery belongs to the passing message. The broker asks once for each overlapping filter
    /// of a worker; the worker gets the message once.
    func putInBatch(of client: Client, _ topic: Bytes) -> Bool {
        guard let batch = client.outgoing, let passing, client.isConnected, client.rights.isWorker,
            passing.topic.count == topic.count, passing.topic.elementsEqual(topic)
        else { return false }
        guard batch.lastSerial != passingSerial else { return true }
        batch.lastSerial = passingSerial
        MessageProperties(passing.properties).withBatched(passing) { message in
            if !batch.writer.hasRoom(bytes: message.bytes) { send(batch) }
            if batch.writer.isEmpty, !batches.contains(where: { $0 === batch }) { batches.append(batch) }
            batch.writer.append(message)
        }
        if batch.writer.isFull { send(batch) }
        return true
    }

    /// Delivers the waiting batches: at the end of each round, and before the gate itself publishes a message that must
    /// not overtake them.
    func sendBatches() {
        guard !batches.isEmpty else { return }
        for batch in batches where !batch.writer.isEmpty { send(batch) }
        batches.removeAll(keepingCapacity: true)
    }

    private func send(_ batch: OutgoingBatch) {
        Broker.publish(batch.topic, batch.writer.bytes, qos: 1)
        batch.writer.removeAll()
    }

    /// Publishes all messages of a batch received on `$CONTROL/lamplighter/publish`.
    ///
    /// Only the service's workers may send batches: an operator's tool is limited by message, and batches are not
    /// counted.
    func publishBatch(_ pointer: OpaquePointer, _ payload: Bytes) {
        guard let client = clients[pointer], client.isStill(pointer), client.rights.isWorker, client.isConnected,
            client.tally == nil
        else { return }
        guard BatchReader.count(in: payload) != nil, var reader = BatchReader(payload) else {
            Broker.log(.warning, "ignored an unintelligible batch from \(client.clientId)")
            return
        }
        // As for every message to a user (`lookIfNeeded`).
        mustLookToDeliver = true
        while let message = reader.next() {
            guard mayPublish(client, message) else { continue }
            if let receiver = receiver(ofEchoOn: message.topic) {
                // The echo must follow all messages let through before it.
                if let batch = receiver.outgoing, !batch.writer.isEmpty { send(batch) }
                noteEcho(client, message.payload, on: message.topic)
            }
            guard let divided = dividedTopic(message.topic) else {
                Broker.publish(message)
                continue
            }
            divided.withUnsafeBufferPointer { topic in
                var message = message
                message.topic = topic
                Broker.publish(message)
            }
        }
    }

    /// Whether a message of a batch may be published; logs it if not.
    private func mayPublish(_ client: Client, _ message: BatchedMessage) -> Bool {
        let refusal = client.rights.refusalToPublish(message.topic, retained: message.isRetained)
        if refusal == nil, message.topic.first != Topic.dollar, !Topic.isBelow(message.topic, batchTopics) {
            return true
        }
        Broker.log(.warning, "skipped a message that \(client.clientId) must not publish")
        return false
    }
}

extension MessageProperties {
    /// Calls `body` with a message and the properties that workers receive.
    func withBatched(_ passing: PassingMessage, _ body: (BatchedMessage) -> Void) {
        var message = BatchedMessage(topic: passing.topic, payload: passing.payload)
        guard list != nil else { return body(message) }
        var owned: [UnsafeMutableRawPointer] = []
        var isTraced = false
        defer { for pointer in owned { free(pointer) } }
        forEach { value in
            switch value {
            case .byte: break
            case .text(let id, let text):
                guard id == Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue) else { break }
                message.responseTopic = Self.copy(text, count: strlen(text), into: &owned)
            case .bytes(_, let data, let count): message.correlation = Self.copy(data, count: Int(count), into: &owned)
            case .pair(let name, let value):
                if strcmp(name, Self.address) == 0 {
                    message.sourceAddress = Self.copy(value, count: strlen(value), into: &owned)
                } else if strcmp(name, Self.fault) == 0 {
                    message.isCorrelationTooLong = true
                } else if strcmp(name, Self.traceparent) == 0, !isTraced {
                    // The first of several counts, as for messages that a worker receives one by one.
                    isTraced = true
                    guard strlen(value) == Int(GATE_TRACEPARENT_BYTES) else { break }
                    message.traceparent = Self.copy(value, count: strlen(value), into: &owned)
                }
            }
        }
        body(message)
    }

    private static func copy(
        _ data: UnsafeRawPointer?,
        count: Int,
        into owned: inout [UnsafeMutableRawPointer]
    ) -> UnsafeBufferPointer<UInt8>? {
        guard let copy = malloc(max(1, count)) else { return nil }
        if let data, count > 0 { memcpy(copy, data, count) }
        owned.append(copy)
        return UnsafeBufferPointer(
            start: copy.assumingMemoryBound(to: UInt8.self),
            count: count
        )
    }
}
