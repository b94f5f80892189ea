import Batching
import TestKit
import Testing

@testable import Gate

@Suite("Work divided by shard, in Mosquitto", .endsInTime)
struct ShardTests {
    private static let control = "$CONTROL/lamplighter/v1"
    /// The beginning of the device's topics, with the shard of the device's id.
    private static let device = "ll/v1/shard/4f/device/\(World.did)"
    /// The beginning of the terminal's topics, with the shard of the terminal's id.
    private static let app = "ll/v1/shard/ab/app/demo/\(World.terminal)"

    /// Starts a broker, and connects a worker that asks the gate to divide topics into shards.
    private static func start() throws -> (GateBroker, MiniClient) {
        let broker = try GateBroker(Cast.records())
        let worker = try MiniClient(broker.port, Cast.worker("status.15"))
        let divide = Array(#"{"commands":[{"command":"divide"}]}"#.utf8)
        #expect(try worker.publish(control, divide) < 0x80)
        #expect(try worker.subscribe("ll/v1/shard/+/#") == 1)
        return (broker, worker)
    }

    @Test("Workers see the shard in topics of reports, requests and registrations") func topics() throws {
        let (broker, worker) = try Self.start()
        let device = try MiniClient(broker.port, Cast.device())
        let app = try MiniClient(broker.port, Cast.app())
        let new = try MiniClient(broker.port, Cast.product())
        _ = try worker.receive(with: "connection")

        #expect(try device.publish("\(Cast.ownDevice)/report", "report") == 0)
        #expect(try app.publish("\(Cast.ownApp)/request/account/whoami", "ask") == 0)
        let space = "product/\(World.key)/\(World.mac)"
        #expect(try new.publish("ll/v1/\(space)/register", "new") == 0)

        #expect(try worker.receive(with: "report")?.topic == "\(Self.device)/report")
        #expect(
            try worker.receive(with: "ask")?.topic == "\(Self.app)/request/account/whoami"
        )
        #expect(try worker.receive(with: "new")?.topic == "ll/v1/shard/f6/\(space)/register")
    }

    @Test(
        "The topic that a client uses determines its rights, and clients can't use topics with a shard"
    )
    func rights() throws {
        let (broker, worker) = try Self.start()
        let device = try MiniClient(broker.port, Cast.device())

        #expect(try device.publish("\(Self.device)/report", "forged") == 0x87)
        #expect(try device.publish("ll/v1/device/\(World.otherDid)/report", "foreign") == 0x87)
        #expect(try device.subscribe("\(Self.device)/command") == 0x87)

        #expect(try device.publish("\(Cast.ownDevice)/report", "own") == 0)
        #expect(try worker.receive(with: "own")?.topic == "\(Self.device)/report")
        #expect(try worker.receive(with: "forged", within: 0.3) == nil)
    }

    @Test("Commands and answers keep their topics")
    func outwards() throws {
        let (broker, worker) = try Self.start()
        let device = try MiniClient(broker.port, Cast.device())
        #expect(try device.subscribe("\(Cast.ownDevice)/command") == 1)

        #expect(try worker.publish("\(Cast.ownDevice)/command", "switch on") == 0)

        #expect(try device.receive(with: "switch on")?.topic == "\(Cast.ownDevice)/command")
    }

    @Test("Presence messages and a device's will have the shard in their topics")
    func will() throws {
        let (broker, worker) = try Self.start()
        var hello = Cast.device()
        hello.will = ("\(Cast.ownDevice)/presence", "my will", false)
        do {
            let device = try MiniClient(broker.port, hello)
            #expect(try worker.receive(with: "\"online\":true")?.topic == "ll/v1/shard/4f/system/presence/\(World.did)")
            withExtendedLifetime(device) {}
        }

        #expect(try worker.receive(with: "\"online\":false")?.topic == "ll/v1/shard/4f/system/presence/\(World.did)")
        #expect(try worker.receive(with: "my will")?.topic == "\(Self.device)/presence")
    }

    @Test("A lane that asks for connected devices gets only its own")
    func announcement() throws {
        let (broker, worker) = try Self.start()
        let device = try MiniClient(broker.port, Cast.device())
        _ = try worker.receive(with: "connection")
        func ask(_ lane: Int) throws {
            let text = #"{"commands":[{"command":"announcePresence","lane":\#(lane),"lanes":32}]}"#
            #expect(try worker.publish(Self.control, Array(text.utf8)) < 0x80)
        }

        try ask(14)
        #expect(try worker.receive(within: 0.3) == nil)
        try ask(15)
        #expect(try worker.receive()?.topic == "ll/v1/shard/4f/system/presence/\(World.did)")
        withExtendedLifetime(device) {}
    }

    @Test("Messages in a worker's batch go to the lanes they are for")
    func batch() throws {
        let (broker, worker) = try Self.start()
        var writer = BatchWriter()
        for topic in ["ll/v1/system/trigger/t-0000000000010", "ll/v1/shard/99/other"] {
            Array(topic.utf8).withUnsafeBufferPointer { topic in
                writer.append(BatchedMessage(topic: topic, payload: topic))
            }
        }
        #expect(try worker.publish("$CONTROL/lamplighter/publish", writer.bytes) < 0x80)

        #expect(
            try worker.receive()?.topic == "ll/v1/shard/10/system/trigger/t-0000000000010"
        )
        #expect(try worker.receive()?.topic == "ll/v1/shard/99/other")
        withExtendedLifetime(broker) {}
    }
}
