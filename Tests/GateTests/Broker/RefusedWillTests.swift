import TestKit
import Testing

@testable import Gate

@Suite("A refused CONNECT with a will, in Mosquitto", .endsInTime)
struct RefusedWillTests {
    private static let payload = String(repeating: "w", count: 60_000)

    private static func hello(_ version: UInt8, password: String) -> MiniClient.Hello {
        var hello = Cast.app(version, password: password)
        hello.will = ("\(Cast.ownApp)/request/account/whoami", payload, false)
        if version == 5 { hello.willProperties = MiniClient.user("name", "value") }
        return hello
    }

    @Test("A refused will leaves nothing in the broker's memory", arguments: [5, 4])
    func memory(version: UInt8) throws {
        let broker = try GateBroker(Cast.records())
        let hello = Self.hello(version, password: "wrong")
        for _ in 0..<50 { #expect(try MiniClient(broker.port, hello).code != 0) }
        let before = try broker.memory()

        for _ in 0..<1_000 { _ = try MiniClient(broker.port, hello) }

        #expect(try broker.memory() - before < 5 << 20)
    }

    @Test("A CONNECT without a username or without a will is refused as before", arguments: [5, 4]) func others(
        version: UInt8
    ) throws {
        let broker = try GateBroker(Cast.records())
        var anonymous = Self.hello(version, password: "wrong")
        anonymous.username = nil
        anonymous.password = nil
        let plain = Cast.app(version, password: "wrong")
        for _ in 0..<100 {
            #expect(try MiniClient(broker.port, anonymous).code != 0)
            #expect(try MiniClient(broker.port, plain).code != 0)
        }
        #expect(try MiniClient(broker.port, Cast.app(version)).code == 0)
    }

    @Test(
        "The will of an admitted client is published when its connection breaks",
        arguments: [5, 4]
    )
    func letIn(version: UInt8) throws {
        let broker = try GateBroker(Cast.records())
        let worker = try MiniClient(broker.port, Cast.worker())
        #expect(try worker.subscribe("ll/v1/app/#") == 1)
        #expect(try MiniClient(broker.port, Self.hello(version, password: "wrong")).code != 0)
        do {
            #expect(try MiniClient(broker.port, Self.hello(version, password: "app")).code == 0)
        }

        #expect(try worker.receive()?.payload == Self.payload)
    }
}
