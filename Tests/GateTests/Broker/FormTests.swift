import TestKit
import Testing

@testable import Gate

@Suite("Limits on subscriptions and messages, in Mosquitto", .endsInTime)
struct FormTests {
    private static let free = ["terminal_messages_per_second": 0, "terminal_bytes_per_second": 0]

    private func broker(_ more: [String: Int] = [:]) throws -> GateBroker {
        try GateBroker(Cast.records(), options: Self.free.merging(more) { $1 })
    }

    @Test("A terminal has a limited number of subscriptions; repeating one doesn't count", arguments: [5, 4])
    func number(
        version: UInt8
    ) throws {
        let broker = try broker()
        let client = try MiniClient(broker.port, Cast.app(version))
        let denied: UInt8 = version == 5 ? 0x87 : 0x80

        let codes = try (0..<70).map { try client.subscribe("\(Cast.ownApp)/q\($0)") }
        #expect(codes == [UInt8](repeating: 1, count: 64) + [UInt8](repeating: denied, count: 6))
        #expect(try client.subscribe("\(Cast.ownApp)/q0") == 1)
        try client.unsubscribe("\(Cast.ownApp)/q0")
        #expect(try client.subscribe("\(Cast.ownApp)/q70") == 1)
        #expect(try client.subscribe("\(Cast.ownApp)/q0") == denied)
    }

    @Test("A resumed session keeps its subscriptions, and a clean session starts without any")
    func durable() throws {
        let broker = try broker(["terminal_subscriptions": 4])
        var hello = Cast.app()
        (hello.isClean, hello.sessionExpiry) = (false, 600)
        for round in 0..<3 {
            let client = try MiniClient(broker.port, hello)
            let codes = try (0..<4).map { try client.subscribe("\(Cast.ownApp)/q\($0)") }
            #expect(codes == [1, 1, 1, 1], "round \(round)")
            #expect(try client.subscribe("\(Cast.ownApp)/more") == 0x87)
            try client.disconnect()
            _ = try client.waitForEnd()
        }

        hello.isClean = true
        let fresh = try MiniClient(broker.port, hello)
        #expect(try (4..<8).map { try fresh.subscribe("\(Cast.ownApp)/q\($0)") } == [1, 1, 1, 1])
    }

    @Test("Deep filters are refused with a reason, and cost the broker nothing")
    func deep() throws {
        let broker = try broker()
        let worker = try MiniClient(broker.port, Cast.worker())
        #expect(try worker.subscribe("ll/v1/system/refusal") == 1)
        let client = try MiniClient(broker.port, Cast.app())
        let tail = String(repeating: "/x", count: 150)
        let before = try broker.memory()

        for number in 0..<1_000 { #expect(try client.subscribe("\(Cast.ownApp)/q\(number)\(tail)") == 0x87) }

        #expect(try worker.receive()?.payload.contains(#""reason":"filterNotAllowed""#) == true)
        #expect(try broker.memory() - before < 10 << 20)
    }

    @Test("Without the limits, deep filters are granted in any number")
    func off() throws {
        let broker = try broker(["terminal_subscriptions": 0, "subscription_levels": 0])
        let client = try MiniClient(broker.port, Cast.app())
        let tail = String(repeating: "/x", count: 150)
        let before = try broker.memory()

        for number in 0..<300 { #expect(try client.subscribe("\(Cast.ownApp)/q\(number)\(tail)") == 1) }

        #expect(try broker.memory() - before > 10 << 20)
    }

    @Test("A topic has at most twelve levels")
    func levels() throws {
        let broker = try broker()
        let client = try MiniClient(broker.port, Cast.app())
        func topic(_ levels: Int) -> String { "\(Cast.ownApp)/request" + String(repeating: "/x", count: levels - 6) }

        #expect(try client.publish(topic(12)) == 0x10)
        #expect(try client.publish(topic(13)) == 0x87)
        let free = try self.broker(["publish_levels": 0])
        #expect(try MiniClient(free.port, Cast.app()).publish(topic(13)) == 0x10)
    }

    @Test("Long Correlation Data is removed and reported; a long Response Topic is removed")

    func properties() throws {
        let broker = try broker()
        let worker = try MiniClient(broker.port, Cast.worker())
        #expect(try worker.subscribe("ll/v1/app/#") == 1)
        let client = try MiniClient(broker.port, Cast.app())
        let topic = "\(Cast.ownApp)/request/account/whoami"
        let long = "\(Cast.ownApp)/" + String(repeating: "r", count: 256)

        for (correlation, expected, fault) in [
            (128, 128, []), (129, nil, ["correlationData"]), (60_000, nil, ["correlationData"]),
        ] as [(Int, Int?, [String])] {
            let properties =
                MiniClient.correlation(correlation) + MiniClient.responseTopic(long) + MiniClient.user("mine", "1")
            #expect(try client.publish(topic, properties: properties) == 0)
            let message = try #require(try worker.receive())
            #expect(MiniClient.correlation(in: message.properties) == expected)
            #expect(message.users("lamplighter-fault") == fault)
            #expect(message.users("mine") == ["1"])
            #expect(!message.properties.contains(0x08))
        }
    }

    @Test("Without the limits, any Correlation Data and Response Topic pass")
    func freeProperties() throws {
        let broker = try broker(["correlation_bytes": 0, "response_topic_bytes": 0])
        let worker = try MiniClient(broker.port, Cast.worker())
        #expect(try worker.subscribe("ll/v1/app/#") == 1)
        let client = try MiniClient(broker.port, Cast.app())

        let properties = MiniClient.correlation(60_000)
        #expect(
            try client.publish("\(Cast.ownApp)/request/account/x", properties: properties) == 0
        )
        let message = try #require(try worker.receive())
        #expect(MiniClient.correlation(in: message.properties) == 60_000)
    }
}
