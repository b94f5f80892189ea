import Batching
import Foundation
import TestKit
import Testing

@testable import Mosquitto

/// Tests of batches; to the broker, a batch is an ordinary message.
@Suite("Batches on a set of connections", .tags(.broker), .endsInTime)
struct BatchTests {
    private static let incoming = "batch/in"
    private static let outgoing = "batch/out"

    private static func worker(_ port: Int) throws -> MosquittoClient {
        var options = ConnectionOptions(host: "127.0.0.1", port: port, clientID: "worker")
        options.cleanStart = false
        options.sessionExpirySeconds = 600
        options.batches = .init(incoming: incoming, outgoing: outgoing)
        var set = try MosquittoClient(options, outlets: 1, waker: Waker())
        _ = try set.connect()
        try set.subscribe([incoming, "plain/#"], options: SubscribeOptions())
        return set
    }

    private static func batch(_ numbers: Range<Int>) -> [UInt8] {
        var writer = BatchWriter()
        for number in numbers {
            var (topic, payload) = ("report/\(number)", "\(number)")
            topic.withUTF8 { topic in
                payload.withUTF8 { payload in writer.append(BatchedMessage(topic: topic, payload: payload)) }
            }
        }
        return writer.bytes
    }

    /// Receives `count` messages without acknowledging them.
    private static func receive(_ set: inout MosquittoClient, _ count: Int) throws -> [Received] {
        var received: [Received] = []
        var intake = Intake()
        let deadline = ContinuousClock.now.advanced(by: .seconds(10))
        while received.count < count, ContinuousClock.now < deadline {
            try set.receive(upTo: 200, linger: .zero, wait: .milliseconds(50), into: &intake)
            for delivery in intake.deliveries {
                received.append(Received(topic: intake.text(delivery.topic), payload: intake.text(delivery.payload)))
            }
        }
        return received
    }

    @Test("A batch is received as its messages, and redelivered whole until it is acknowledged")

    func comesAgain() throws {
        let broker = try BrokerProcess()
        let expected = (0..<50).map { Received(topic: "report/\($0)", payload: "\($0)") }
        do {
            var set = try Self.worker(broker.port)
            var device = try connect(broker.port)
            _ = try device.publish(topic: Self.incoming, payload: Self.batch(0..<50))
            _ = try device.confirmations()

            #expect(try Self.receive(&set, 50) == expected)
            set.disconnect()
        }

        var set = try Self.worker(broker.port)
        #expect(try Self.receive(&set, 50) == expected)
        set.acknowledge(1)
        try set.writePermitted()
        set.disconnect()

        var last = try Self.worker(broker.port)
        var device = try connect(broker.port)
        _ = try device.publish(topic: "plain/1", payload: Array("behind".utf8))
        _ = try device.confirmations()
        #expect(
            try Self.receive(&last, 1) == [Received(topic: "plain/1", payload: "behind")]
        )
    }

    @Test("Bytes that aren't a batch are an ordinary message")
    func noBatch() throws {
        let broker = try BrokerProcess()
        var set = try Self.worker(broker.port)
        var device = try connect(broker.port)
        _ = try device.publish(topic: Self.incoming, payload: Array("nonsense".utf8))

        _ = try device.confirmations()

        #expect(
            try Self.receive(&set, 1) == [Received(topic: Self.incoming, payload: "nonsense")]
        )
    }

    @Test("Messages are published in batches, and each is confirmed once by its own id")

    func published() throws {
        let broker = try BrokerProcess()
        var taker = try connect(broker.port)
        try taker.subscribe([Self.outgoing])
        var set = try Self.worker(broker.port)
        var ids: Set<Int32> = []
        for number in 0..<300 {
            // Each payload is about 1 KB long. So all messages together fill more than one batch.
            let payload = Array(String(repeating: "x", count: 1_000).utf8) + Array("\(number)".utf8)
            ids.insert(
                try set.publish(
                    topic: "status/\(number)",
                    payload: payload,
                    outlet: 0,
                    quality: .atLeastOnce,
                    isRetained: true,
                    properties: nil
                )
            )
        }
        #expect(ids.count == 300)
        try set.writePermitted()

        var confirmed: [Int32] = []
        var intake = Intake()
        let deadline = ContinuousClock.now.advanced(by: .seconds(10))
        while confirmed.count < 300, ContinuousClock.now < deadline {
            try set.receive(upTo: 200, linger: .zero, wait: .milliseconds(50), into: &intake)
            confirmed += intake.confirmed.map(\.mid)
            try set.writePermitted()
        }
        #expect(confirmed.count == 300)
        #expect(Set(confirmed) == ids)

        var topics: [String] = []
        var batches = 0
        while topics.count < 300, ContinuousClock.now < deadline {
            try taker.receive(upTo: 10, linger: .zero, wait: .milliseconds(50), into: &intake)
            for delivery in intake.deliveries {
                batches += 1
                let bytes = Array(intake.bytes[delivery.payload])
                bytes.withUnsafeBufferPointer { bytes in
                    guard var reader = BatchReader(bytes) else { return }
                    while let message = reader.next() { topics.append(String(decoding: message.topic, as: UTF8.self)) }
                }
            }
            try taker.flush()
        }
        #expect(topics == (0..<300).map { "status/\($0)" })
        #expect(batches >= 2 && batches < 30)
    }
}
