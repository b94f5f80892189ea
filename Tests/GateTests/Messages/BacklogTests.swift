import Credentials
import TestKit
import Testing

@testable import Gate

@Suite("A status worker that falls behind, in Mosquitto", .endsInTime)
struct BacklogTests {
    private static let report = "\(Cast.ownDevice)/report"
    private static let otherReport = "ll/v1/device/\(World.otherDid)/report"

    /// Starts a broker without a rate limit for its devices, and connects an idle worker.
    private static func start(_ limit: Int) throws -> (GateBroker, MiniClient) {
        let other = Record.device(did: World.otherDid, secret: try GateBroker.hash("device"))
        let options = ["device_messages_per_second": 0, "device_bytes_per_second": 0, "status_backlog": limit]
        let broker = try GateBroker(Cast.records() + [other], options: options)
        let worker = try MiniClient(broker.port, Cast.worker("status"))
        #expect(try worker.subscribe("ll/v1/device/+/report") == 1)
        return (broker, worker)
    }

    private static func other(_ version: UInt8 = 5) -> MiniClient.Hello {
        MiniClient.Hello("device:\(World.otherDid)", "device", World.otherDid, version: version)
    }

    private static func echo(
        _ number: Int,
        seen: Int,
        by client: MiniClient,
        of lane: String = "",
        lanes: Int = 1
    ) throws {
        let topic = "ll/v1/system/echo/status\(lane)"
        let more = lanes > 1 ? #","lanes":\#(lanes)"# : ""
        #expect(try client.publish(topic, #"{"number":\#(number),"seen":\#(seen)\#(more)}"#) < 0x80)
    }

    /// Publishes `count` reports, and returns how many of them the gate lets through.
    private static func passed(_ client: MiniClient, _ topic: String, _ count: Int) throws -> Int {
        try (0..<count).count { _ in try client.publish(topic) < 0x80 }
    }

    @Test("A flooding device is refused beyond its share, and a slow device is not")
    func shares() throws {
        let (broker, worker) = try Self.start(10)
        let outlet = try MiniClient(broker.port, Cast.worker("status.out0"))
        let watcher = try MiniClient(broker.port, Cast.worker())
        #expect(try watcher.subscribe("ll/v1/system/refusal") == 1)
        let flooder = try MiniClient(broker.port, Cast.device())
        let slow = try MiniClient(broker.port, Self.other())
        try Self.echo(1, seen: 0, by: outlet)

        #expect(try Self.passed(flooder, Self.report, 60) == 10)
        #expect(try flooder.publish(Self.report) == 0x87)
        #expect(try flooder.publishTwice(Self.report) == 0x87)
        #expect(try flooder.publish("\(Cast.ownDevice)/info") < 0x80)
        #expect(try slow.publish(Self.otherReport) < 0x80)
        let told = try #require(try watcher.receive(with: #""reason":"overloaded""#))
        #expect(told.payload.contains(#""clientId":"\#(World.did)""#))
        #expect(told.payload.contains(#""action":"publish","topic":"\#(Self.report)""#))

        // Echo 2 reports that the worker has seen echo 1. All messages were sent after echo 1, so they still count, and
        // the flooder is still refused. Echo 3 reports that the worker has seen echo 2, so the messages that were sent
        // before echo 2 no longer count.
        try Self.echo(2, seen: 1, by: outlet)
        #expect(try flooder.publish(Self.report) == 0x87)
        #expect(try slow.publish(Self.otherReport) < 0x80)
        try Self.echo(3, seen: 2, by: outlet)
        #expect(try Self.passed(flooder, Self.report, 60) == 9)
        #expect(try slow.publish(Self.otherReport) < 0x80)

        // While the worker is disconnected, the gate accepts every report. The broker keeps all reports until the
        // worker returns.
        try worker.disconnect()
        let end = MiniClient.now() + 5
        while try flooder.publish(Self.report) >= 0x80, MiniClient.now() < end {}
        #expect(try Self.passed(flooder, Self.report, 60) == 60)
    }

    @Test("If work is divided, each lane refuses only reports of its own devices") func lanes() throws {
        let (broker, worker) = try Self.start(10)
        #expect(
            try worker.publish("$CONTROL/lamplighter/v1", Array(#"{"commands":[{"command":"divide"}]}"#.utf8)) < 0x80
        )
        // Of the 32 lanes, lane 15 has the first device's shard. Lane 0 has the other device's shard.
        let late = try MiniClient(broker.port, Cast.worker("status.15"))
        let outlet = try MiniClient(broker.port, Cast.worker("status.15.out1"))
        let early = try MiniClient(broker.port, Cast.worker("status.00"))
        #expect(try late.subscribe("ll/v1/shard/4f/device/+/report") == 1)
        #expect(try early.subscribe("ll/v1/shard/00/device/+/report") == 1)
        let flooder = try MiniClient(broker.port, Cast.device())
        let other = try MiniClient(broker.port, Self.other())
        try Self.echo(1, seen: 0, by: outlet, of: ".15", lanes: 32)
        try Self.echo(1, seen: 0, by: early, of: ".00", lanes: 32)

        #expect(try Self.passed(flooder, Self.report, 60) == 10)
        #expect(try Self.passed(other, Self.otherReport, 10) == 10)
        try Self.echo(2, seen: 1, by: outlet, of: ".15", lanes: 32)
        try Self.echo(3, seen: 2, by: outlet, of: ".15", lanes: 32)
        #expect(try Self.passed(flooder, Self.report, 60) == 10)
        #expect(try other.publish(Self.otherReport) == 0x87)

        // The limit of one lane's devices stays the same while the other lane is disconnected.
        try late.disconnect()
        let end = MiniClient.now() + 5
        while try flooder.publish(Self.report) >= 0x80, MiniClient.now() < end {}
        #expect(try Self.passed(flooder, Self.report, 60) == 60)
        #expect(try other.publish(Self.otherReport) == 0x87)
    }

    @Test("Refused MQTT 3.1.1 messages are dropped, and the connection stays")
    func dropped() throws {
        let (broker, worker) = try Self.start(10)
        let device = try MiniClient(broker.port, Cast.device(4))
        try Self.echo(1, seen: 0, by: worker)

        for _ in 0..<30 { #expect(try device.publish(Self.report, "flood") == 0) }

        var received = 0
        while let message = try worker.receive(within: received < 10 ? 5 : 0.3) {
            if message.payload == "flood" { received += 1 }
        }
        #expect(received == 10)
        #expect(try device.waitForEnd(within: 0.2) == nil)
    }

    @Test(
        "Without the limit, or with figures of another worker, no report is refused",
        arguments: [0, 10]
    )
    func off(limit: Int) throws {
        let (broker, worker) = try Self.start(limit)
        // An echo of the control worker doesn't count as an echo of the status worker.
        let teller = limit == 0 ? worker : try MiniClient(broker.port, Cast.worker("control"))
        let device = try MiniClient(broker.port, Cast.device())
        try Self.echo(1, seen: 0, by: teller)

        #expect(try Self.passed(device, Self.report, 60) == 60)
    }
}
