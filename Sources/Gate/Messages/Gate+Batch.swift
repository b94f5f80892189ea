import Batching
import CMosquittoBroker
import Glibc

// Batches of messages between the broker and the service's workers. Mosquitto 2.0 reads one packet of each connection
// in a round of its loop. Busy devices make each round slow. With one message or one acknowledgement per round, a
// worker would fall behind. A worker therefore gets all deliveries of one round as one message, which it acknowledges
// once. A worker also publishes many messages as one message, to `$CONTROL/lamplighter/publish`. The broker's own
// messages are delivered one by one. Messages that were queued while a worker was absent are also delivered one by one.

/// The message that the broker is currently delivering to its subscribers.
///
/// The delivery begins with the event MESSAGE and ends with the ACL_CHECK for the last subscriber. The message's memory
/// belongs to the broker. The memory is valid only until the message's last ACL_CHECK.
struct PassingMessage {
    var topic: Bytes
    var payload: Bytes
    var properties: OpaquePointer?
}

/// The messages that wait for a worker until the current round of the broker's loop ends.
final class OutgoingBatch {
    let topic: String
    let topicBytes: [UInt8]
    var writer = BatchWriter()
    /// The serial number of the message that was added last, so that no message is added twice.
    var lastSerial: UInt64 = 0

    init(topic: [UInt8]) {
        topicBytes = topic
        self.topic = String(decoding: topic, as: UTF8.self)
    }
}

extension Gate {
    /// Starts a worker's batches when the worker subscribes to them.
    func beginBatches(of client: Client, _ filter: Bytes) {
        guard Topic.isBelow(filter, batchTopics),
            client.isWorker(named: Bytes(rebasing: filter.dropFirst(batchTopics.count)))
        else { return }
        client.outgoing = client.outgoing ?? OutgoingBatch(topic: Array(filter))
    }

    /// Ends a worker's batches when the worker unsubscribes from them.
    func endBatches(of client: Client, _ filter: Bytes) {
        guard let batch = client.outgoing, filter.elementsEqual(batch.topicBytes) else { return }
        sendBatches()
        client.outgoing = nil
    }

    /// Returns whether a topic belongs to another worker's batches, which the client must never receive.
    func isBatchOfOther(_ client: Client, _ topic: Bytes) -> Bool {
        Topic.isBelow(topic, batchTopics)
            && !client.isWorker(named: Bytes(rebasing: topic.dropFirst(batchTopics.count)))
    }

    /// Records the message whose subscribers the broker looks up next.
    func note(passing topic: Bytes, payload: Bytes, properties: OpaquePointer?) {
        passingSerial &+= 1
        passing = PassingMessage(topic: topic, payload: payload, properties: properties)
    }

    /// Sets `passing` to nil, because the message's memory is invalid after the last delivery.
    func endPassing() { passing = nil }

    /// Adds a delivery to a worker's batch, or returns false if the broker must deliver it.
    ///
    /// A delivery belongs to the message in `passing` if both have the same topic. If several filters of a worker
    /// match, the broker asks once for each filter. The worker gets the message only once.
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

    /// Delivers the waiting batches, after each round and before the gate publishes a message that must not overtake
    /// them.
    func sendBatches() {
        guard !batches.isEmpty else { return }
        for batch in batches where !batch.writer.isEmpty { send(batch) }
        batches.removeAll(keepingCapacity: true)
    }

    private func send(_ batch: OutgoingBatch) {
        Broker.publish(batch.topic, batch.writer.bytes, qos: 1)
        batch.writer.removeAll()
    }

    /// Publishes a batch from `$CONTROL/lamplighter/publish`, except messages that the sender may not publish.
    ///
    /// Only the service's own workers may send batches. Messages in a batch don't count towards a client's limit.
    func publishBatch(_ pointer: OpaquePointer, _ payload: Bytes) {
        guard let client = clients[pointer], client.isStill(pointer), client.rights.isWorker, client.isConnected,
            client.tally == nil
        else { return }
        guard BatchReader.count(in: payload) != nil, var reader = BatchReader(payload) else {
            Broker.log(.warning, "ignored an unintelligible batch from \(client.clientId)")
            return
        }
        // Before messages to users are delivered, the credentials file is checked (`lookIfNeeded`).
        mustLookToDeliver = true
        while let message = reader.next() {
            guard mayPublish(client, message) else { continue }
            if let receiver = receiver(ofEchoOn: message.topic) {
                // The echo must follow all messages that were let through before it.
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
                    // Of several `traceparent` properties, only the first counts, as in a message outside a batch.
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
        return UnsafeBufferPointer(start: copy.assumingMemoryBound(to: UInt8.self), count: count)
    }
}
