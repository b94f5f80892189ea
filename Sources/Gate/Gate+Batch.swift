import Batching
import CMosquittoBroker
import Glibc

// Many messages in one packet, between the broker and the service's workers. Mosquitto 2.0 reads one packet of a
// connection in each round of its loop, and beside many busy devices there are few rounds a second: a worker that
// acknowledged each message and published each of its own would be held to so many. So what a worker is to be
// delivered within one round goes to it as one message, which it acknowledges once; and what it publishes comes
// as one to `$CONTROL/lamplighter/publish`. What the broker publishes itself, and what waits for a worker that is
// away, is delivered one by one.

/// The message that the broker is passing on to its subscribers, between MESSAGE and the last ACL_CHECK about it.
///
/// The memory is the broker's and stands as long as that takes.
struct PassingMessage {
    var topic: Bytes
    var payload: Bytes
    var properties: OpaquePointer?
}

/// What waits for a worker until the end of the round.
final class OutgoingBatch {
    let topic: String
    let topicBytes: [UInt8]
    var writer = BatchWriter()
    /// The last message that was put in: none goes in twice.
    var lastSerial: UInt64 = 0

    init(topic: [UInt8]) {
        topicBytes = topic
        self.topic = String(decoding: topic, as: UTF8.self)
    }
}

extension Gate {
    /// Takes in that a worker subscribed to its batches: from here on it gets them.
    func beginBatches(of client: Client, _ filter: Bytes) {
        guard Topic.isBelow(filter, batchTopics),
            client.isWorker(named: Bytes(rebasing: filter.dropFirst(batchTopics.count)))
        else { return }
        client.outgoing = client.outgoing ?? OutgoingBatch(topic: Array(filter))
    }

    /// Takes in that a worker no longer wants batches: the broker delivers each message by itself again.
    func endBatches(of client: Client, _ filter: Bytes) {
        guard let batch = client.outgoing, filter.elementsEqual(batch.topicBytes) else { return }
        sendBatches()
        client.outgoing = nil
    }

    /// Whether a topic is that of another worker's batches: a filter over all topics matches it as well.
    func isBatchOfOther(_ client: Client, _ topic: Bytes) -> Bool {
        Topic.isBelow(topic, batchTopics)
            && !client.isWorker(named: Bytes(rebasing: topic.dropFirst(batchTopics.count)))
    }

    /// Notes a message whose subscribers the broker will look for next.
    func note(passing topic: Bytes, _ payload: Bytes, _ properties: OpaquePointer?) {
        passingSerial &+= 1
        passing = PassingMessage(topic: topic, payload: payload, properties: properties)
    }

    /// Forgets that message: its memory is the broker's again at the next event that is none of its deliveries.
    func endPassing() { passing = nil }

    /// Takes over the delivery of a message to a worker; false where the broker is to deliver it.
    ///
    /// That a delivery is about the message that is passing shows by its topic. A worker whose filters overlap is asked
    /// about once for each, and gets the message once.
    func putInBatch(of client: Client, _ topic: Bytes) -> Bool {
        guard let batch = client.outgoing, let passing, client.isConnected, client.rights.isWorker,
            passing.topic.count == topic.count, passing.topic.elementsEqual(topic)
        else { return false }
        guard batch.lastSerial != passingSerial else { return true }
        batch.lastSerial = passingSerial
        MessageProperties(passing.properties).withBatched(passing) { message in
            if !batch.writer.hasRoom(bytes: message.bytes) { send(batch) }
            if batch.writer.isEmpty, !batches.contains(where: { $0 === batch }) {
                batches.append(batch)
            }
            batch.writer.append(message)
        }
        if batch.writer.isFull { send(batch) }
        return true
    }

    /// Has the broker deliver what waits: at the end of each round, and before the gate itself publishes something
    /// that is not to pass it.
    func sendBatches() {
        guard !batches.isEmpty else { return }
        for batch in batches where !batch.writer.isEmpty { send(batch) }
        batches.removeAll(keepingCapacity: true)
    }

    /// Tells that a device has come, or listens; behind what was sent before it came.
    func tellArrival(of client: Client) {
        sendBatches()
        presence.tellArrival(of: client)
    }

    private func send(_ batch: OutgoingBatch) {
        Broker.publish(batch.topic, batch.writer.bytes, qos: 1)
        batch.writer.removeAll()
    }

    /// Takes a message on `$CONTROL/lamplighter/publish`: publishes all that are in it.
    ///
    /// From the service's workers alone: an operator's tool is counted by message, which would not be counted here.
    func publishBatch(_ pointer: OpaquePointer, _ payload: Bytes) {
        guard let client = clients[pointer], client.isStill(pointer), client.rights.isWorker,
            client.isConnected, client.tally == nil
        else { return }
        guard BatchReader.count(in: payload) != nil, var reader = BatchReader(payload) else {
            Broker.log(.warning, "a batch that is not understood from \(client.clientId)")
            return
        }
        // As for every message to a user (`lookIfNeeded`).
        mustLookToDeliver = true
        while let message = reader.next() {
            guard mayPublish(client, message) else { continue }
            if message.topic.elementsEqual(echoes) {
                // It is to come behind all that was let through before it.
                sendBatches()
                noteEcho(client, message.payload, message.topic)
            }
            Broker.publish(message)
        }
    }

    /// Whether a message of a batch would be let through by itself; logs the one that would not.
    private func mayPublish(_ client: Client, _ message: BatchedMessage) -> Bool {
        let refusal = client.rights.refusalToPublish(message.topic, retained: message.isRetained)
        if refusal == nil, message.topic.first != Topic.dollar,
            !Topic.isBelow(message.topic, batchTopics)
        {
            return true
        }
        Broker.log(.warning, "a message that \(client.clientId) must not publish was left out")
        return false
    }
}

extension MessageProperties {
    /// Gives a message with what workers are told of its properties.
    func withBatched(_ passing: PassingMessage, _ body: (BatchedMessage) -> Void) {
        var message = BatchedMessage(topic: passing.topic, payload: passing.payload)
        guard list != nil else { return body(message) }
        var owned: [UnsafeMutableRawPointer] = []
        defer { for pointer in owned { free(pointer) } }
        forEach { value in
            switch value {
            case .byte: break
            case .text(let id, let text):
                guard id == Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue) else { break }
                message.responseTopic = Self.copy(text, strlen(text), &owned)
            case .bytes(_, let data, let count):
                message.correlation = Self.copy(data, Int(count), &owned)
            case .pair(let name, let value):
                if strcmp(name, Self.address) == 0 {
                    message.sourceAddress = Self.copy(value, strlen(value), &owned)
                } else if strcmp(name, Self.fault) == 0 {
                    message.isCorrelationTooLong = true
                }
            }
        }
        body(message)
    }

    private static func copy(
        _ data: UnsafeRawPointer?,
        _ count: Int,
        _ owned: inout [UnsafeMutableRawPointer]
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
