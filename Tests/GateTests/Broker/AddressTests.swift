import TestKit
import Testing

@testable import Gate

@Suite("Source addresses of messages", .endsInTime)
struct AddressTests {
    private static let name = "lamplighter-address"
    private static let other: UInt32 = 0x7F00_0007

    @Test("Requests and registrations contain their source address, reports don't", arguments: [5, 4]) func told(
        version: UInt8
    ) throws {
        let broker = try GateBroker(Cast.records())
        let worker = try MiniClient(broker.port, Cast.worker())
        #expect(try worker.subscribe("ll/v1/#") == 1)

        for (hello, topic, address) in [
            (Cast.app(version), "\(Cast.ownApp)/request/account/whoami", ["127.0.0.7"]),
            (Cast.product(version), "ll/v1/product/\(World.key)/\(World.mac)/register", ["127.0.0.7"]),
            (Cast.device(version), "\(Cast.ownDevice)/report", []),
        ] as [(MiniClient.Hello, String, [String])] {
            let far = try MiniClient(broker.port, hello, from: Self.other)
            #expect(try far.publish(topic) == 0)
            #expect(try worker.receive(with: topic)?.users(Self.name) == address)
            let near = try MiniClient(broker.port, hello)
            #expect(try near.publish(topic) == 0)
            #expect(try worker.receive(with: topic)?.users(Self.name) == [])
        }
    }

    @Test("A client's properties with the gate's names are dropped, all others pass") func stripped() throws {
        let broker = try GateBroker(Cast.records())
        let worker = try MiniClient(broker.port, Cast.worker())
        #expect(try worker.subscribe("ll/v1/#") == 1)
        let own = MiniClient.user("mine", "1") + MiniClient.correlation(9)
        let forged =
            MiniClient.user(Self.name, "192.0.2.1") + own + MiniClient.responseTopic("a/b")
            + MiniClient.user("lamplighter-else", "x") + [0x01, 1]

        for (hello, topic) in [
            (Cast.app(), "\(Cast.ownApp)/request/account/whoami"), (Cast.device(), "\(Cast.ownDevice)/report"),
        ] {
            let client = try MiniClient(broker.port, hello)
            #expect(try client.publish(topic, properties: forged) == 0)
            let message = try #require(try worker.receive(with: topic))
            #expect(message.users(Self.name).isEmpty && message.users("lamplighter-else").isEmpty)
            #expect(message.users("mine") == ["1"])
            #expect(MiniClient.correlation(in: message.properties) == 9)
        }
    }

    @Test("A terminal's will contains its source address, whatever properties it was given") func will() throws {
        let broker = try GateBroker(Cast.records())
        let worker = try MiniClient(broker.port, Cast.worker())
        #expect(try worker.subscribe("ll/v1/#") == 1)
        var hello = Cast.app()
        let topic = "\(Cast.ownApp)/request/account/whoami"
        hello.will = (topic, "{\"id\":\"w\"}", false)
        hello.willProperties = MiniClient.user(Self.name, "192.0.2.1")

        var client: MiniClient? = try MiniClient(broker.port, hello, from: Self.other)
        #expect(client?.code == 0)
        client = nil

        let message = try #require(try worker.receive(with: topic))
        #expect(message.payload == "{\"id\":\"w\"}")
        #expect(message.users(Self.name) == ["127.0.0.7"])
    }
}
