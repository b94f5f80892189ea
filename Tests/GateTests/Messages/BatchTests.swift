import Batching
import Credentials
import TestKit
import Testing

@testable import Gate

@Suite("Many messages in one packet, in Mosquitto", .endsInTime)
struct BatchTests {
    /// A copy of a message from a batch, for tests to store and compare.
    struct Sent: Equatable {
        var topic: String
        var payload: String
        var source: String?
        var correlation: String?
        var responseTopic: String?
    }

    /// A loopback address that the gate treats as the address of another machine.
    private static let other: UInt32 = 0x7F00_0007
    private static let publish = "$CONTROL/lamplighter/publish"
    private static let report = "\(Cast.ownDevice)/report"
    private static let request = "\(Cast.ownApp)/request/account/whoami"

    /// Starts a broker without limits on the messages of devices and terminals.
    private static func start() throws -> GateBroker {
        try GateBroker(
            Cast.records(),
            options: ["device_messages_per_second": 0, "device_bytes_per_second": 0, "terminal_messages_per_second": 0]
        )
    }

    /// Connects a worker that receives its messages in batches.
    private static func worker(_ name: String, _ port: UInt16, filters: String...) throws -> MiniClient {
        let worker = try MiniClient(port, Cast.worker(name))
        for filter in filters + ["ll/v1/system/batch/\(name)"] { #expect(try worker.subscribe(filter) == 1) }
        return worker
    }

    private static func text(_ piece: UnsafeBufferPointer<UInt8>) -> String { String(decoding: piece, as: UTF8.self) }

    /// Receives and returns `count` messages, which can arrive in batches or alone.
    private static func pieces(_ client: MiniClient, _ count: Int) throws -> [Sent] {
        var pieces: [Sent] = []
        while pieces.count < count, let message = try client.receive() {
            guard message.topic.hasPrefix("ll/v1/system/batch/") else {
                pieces.append(Sent(topic: message.topic, payload: "by itself"))
                continue
            }
            message.bytes.withUnsafeBufferPointer { bytes in
                guard var reader = BatchReader(bytes) else { return }
                while let next = reader.next() {
                    var piece = Sent(topic: text(next.topic), payload: text(next.payload))
                    piece.source = next.sourceAddress.map(text)
                    piece.correlation = next.correlation.map(text)
                    piece.responseTopic = next.responseTopic.map(text)
                    pieces.append(piece)
                }
            }
        }
        return pieces
    }

    /// Publishes messages in one batch, as a worker does.
    private static func send(_ client: MiniClient, _ messages: [(topic: String, payload: String)]) throws {
        var writer = BatchWriter()
        for message in messages {
            var (topic, payload) = message
            topic.withUTF8 { topic in
                payload.withUTF8 { payload in writer.append(BatchedMessage(topic: topic, payload: payload)) }
            }
        }
        #expect(try client.publish(publish, writer.bytes) < 0x80)
    }

    @Test(
        "A worker gets each message once and in order, whatever its filters are"
    )
    func once() throws {
        let broker = try Self.start()
        let worker = try Self.worker("status", broker.port, filters: "ll/v1/device/+/report", "ll/v1/device/#")
        let device = try MiniClient(broker.port, Cast.device())

        for number in 0..<200 { try device.publishOnly(Self.report, "\(number)") }
        #expect(try device.publish(Self.report, "200") == 0)

        let pieces = try Self.pieces(worker, 201)
        #expect(pieces == (0...200).map { Sent(topic: Self.report, payload: "\($0)") })
        #expect(try worker.receive(within: 0.3) == nil)
    }

    @Test("A request keeps its correlation data, its response topic and the source address that the gate added")
    func properties() throws {
        let broker = try Self.start()
        let worker = try Self.worker("account", broker.port, filters: "ll/v1/app/#")
        let app = try MiniClient(broker.port, Cast.app(), from: Self.other)

        let properties =
            MiniClient.responseTopic("\(Cast.ownApp)/mine") + MiniClient.correlation(5)
            + MiniClient.user("lamplighter-address", "8.8.8.8")
        #expect(try app.publish(Self.request, "ask", properties: properties) == 0)

        let piece = try #require(try Self.pieces(worker, 1).first)
        #expect(piece.topic == Self.request)
        #expect(piece.payload == "ask")
        #expect(piece.source == "127.0.0.7")
        #expect(piece.correlation?.utf8.count == 5)
        #expect(piece.responseTopic == "\(Cast.ownApp)/mine")
    }

    @Test(
        "Only the worker itself receives its batches, and only the gate publishes them"
    )
    func own() throws {
        let broker = try Self.start()
        let worker = try Self.worker("status", broker.port, filters: "ll/v1/device/+/report")
        let tool = try MiniClient(broker.port, Cast.worker("tools.watch"))
        #expect(try tool.subscribe("ll/v1/#") == 1)
        let device = try MiniClient(broker.port, Cast.device())

        #expect(try device.publish(Self.report, "one") == 0)
        #expect(try tool.publish("ll/v1/system/batch/status", "forged") == 0x87)
        #expect(try device.publish(Self.report, "two") == 0)

        #expect(try Self.pieces(worker, 2).map(\.payload) == ["one", "two"])
        #expect(try tool.receive(with: "two")?.topic == Self.report)
        #expect(try tool.receive(with: "system/batch", within: 0.3) == nil)
    }

    @Test("A worker that stops asking for batches gets single messages")
    func unsubscribed() throws {
        let broker = try Self.start()
        let worker = try Self.worker("status", broker.port, filters: "ll/v1/device/+/report")
        let device = try MiniClient(broker.port, Cast.device())

        try worker.unsubscribe("ll/v1/system/batch/status")
        #expect(try device.publish(Self.report, "plain") == 0)

        #expect(try worker.receive()?.topic == Self.report)
    }

    @Test("The broker queues messages for an absent worker")
    func away() throws {
        let broker = try Self.start()
        var hello = Cast.worker("status")
        hello.sessionExpiry = 600
        hello.isClean = false
        let first = try MiniClient(broker.port, hello)
        for filter in ["ll/v1/device/+/report", "ll/v1/system/batch/status"] {
            #expect(try first.subscribe(filter) == 1)
        }
        try first.disconnect()
        #expect(try first.waitForEnd() != nil)
        let device = try MiniClient(broker.port, Cast.device())
        for number in 0..<3 { #expect(try device.publish(Self.report, "\(number)") == 0) }

        let second = try MiniClient(broker.port, hello)

        for _ in 0..<3 { #expect(try second.receive()?.topic == Self.report) }
    }

    @Test("The largest message passes after a batch that is nearly full")
    func large() throws {
        let broker = try Self.start()
        let worker = try Self.worker("status", broker.port, filters: "ll/v1/device/+/report")
        let device = try MiniClient(broker.port, Cast.device())
        let (medium, large) = (120 << 10, 256 << 10)

        try device.publishOnly(Self.report, String(repeating: "m", count: medium))
        try device.publishOnly(Self.report, String(repeating: "l", count: large))
        try device.publishOnly(Self.report, "small")

        let counts = try Self.pieces(worker, 3).map(\.payload.utf8.count)
        #expect(counts == [medium, large, 5])
    }

    @Test(
        "Messages in a worker's batch are published in order, and only if the worker may publish them"
    )
    func published() throws {
        let broker = try Self.start()
        let worker = try MiniClient(broker.port, Cast.worker("status.out0"))
        let device = try MiniClient(broker.port, Cast.device())
        #expect(try device.subscribe("\(Cast.ownDevice)/command") == 1)
        let tool = try MiniClient(broker.port, Cast.worker("tools.watch"))
        #expect(try tool.subscribe("ll/v1/#") == 1)

        try Self.send(
            worker,
            [
                ("\(Cast.ownDevice)/command", "1"), ("other/root", "2"), ("$CONTROL/lamplighter/v1", "3"),
                ("ll/v1/system/batch/status", "4"), ("ll/v1/device/+/command", "5"), ("\(Cast.ownDevice)/command", "6"),
            ]
        )

        #expect(try device.receive()?.payload == "1")
        #expect(try device.receive()?.payload == "6")
        #expect(try tool.receive()?.payload == "1")
        #expect(try tool.receive()?.payload == "6")
        #expect(try tool.receive(within: 0.3) == nil)
    }

    @Test("A batch from a client that isn't a worker, or an invalid batch, publishes nothing") func refused() throws {
        let broker = try Self.start()
        let worker = try MiniClient(broker.port, Cast.worker("status.out0"))
        let device = try MiniClient(broker.port, Cast.device())
        #expect(try device.subscribe("\(Cast.ownDevice)/command") == 1)
        let gateway = try MiniClient(broker.port, MiniClient.Hello("service:sms", "sms", "svc.sms.1"))

        var writer = BatchWriter()
        var topic = "\(Cast.ownDevice)/command"
        topic.withUTF8 { writer.append(BatchedMessage(topic: $0, payload: $0)) }
        #expect(try gateway.publish(Self.publish, writer.bytes) == 0x87)
        #expect(try device.publish(Self.publish, writer.bytes) == 0x87)
        #expect(try worker.publish(Self.publish, Array(writer.bytes.dropLast())) < 0x80)
        #expect(try worker.publish(Self.publish, [UInt8](repeating: 255, count: 60)) < 0x80)
        #expect(try worker.publish("\(Cast.ownDevice)/command", "the first") < 0x80)

        #expect(try device.receive()?.payload == "the first")
    }

    @Test("Only the will of a registering device contains its source address") func will() throws {
        let broker = try Self.start()
        let tool = try MiniClient(broker.port, Cast.worker("tools.watch"))
        let topic = "ll/v1/product/\(World.key)/\(World.mac)/register"
        #expect(try tool.subscribe(topic) == 1)
        do {
            var hello = Cast.product()
            hello.will = (topic, "the will", false)
            hello.willProperties = MiniClient.user("lamplighter-address", "8.8.8.8")
            #expect(try MiniClient(broker.port, hello, from: Self.other).code == 0)
        }

        let message = try #require(try tool.receive(with: "the will"))
        #expect(message.users("lamplighter-address") == ["127.0.0.7"])
    }
}
