import Metering
import TestKit
import Testing

@testable import Gate

@Suite("Limits of one source address, in Mosquitto", .endsInTime)
struct AddressLimitTests {
    private static let crowded: UInt32 = 0x7F00_0008

    /// Options with low limits for an address, and without limits for single connections.
    private static let options = [
        "address_messages_per_second": 1, "address_message_burst": 20, "terminal_messages_per_second": 0,
        "terminal_bytes_per_second": 0, "device_messages_per_second": 0, "device_bytes_per_second": 0,
        "product_messages_per_second": 0, "product_bytes_per_second": 0,
    ]

    /// A terminal that connects from the same address as other terminals.
    private struct App {
        let client: MiniClient
        let topic: String

        init(_ number: Int, on broker: GateBroker, from source: UInt32 = crowded) throws {
            let id = String("0000000000000000000000000000000\(number)".suffix(32))
            let hello = MiniClient.Hello("app:demo", "app", id)
            client = try MiniClient(broker.port, hello, from: source)
            try #require(client.code == 0)
            topic = "ll/v1/app/demo/\(id)/request/account/whoami"
        }

        /// Publishes `count` messages, and returns how many of them the gate lets through.
        func passed(_ count: Int) throws -> Int {
            var passed = 0
            for _ in 0..<count {
                let code = try client.publish(topic)
                if code == 0x87 { continue }
                try #require(code < 0x80)
                passed += 1
            }
            return passed
        }
    }

    @Test(
        "Many terminals share the address's limit, and an infrequent sender beside them is never limited"
    )
    func shared() throws {
        let broker = try GateBroker(Cast.records(), options: Self.options)
        let crowd = try (1...8).map { try App($0, on: broker) }

        let passed = try crowd.map { try $0.passed(100) }

        // The first terminal uses up the address's burst. Each of the other terminals can still send a small burst. The
        // gate always allows this if a terminal seldom sends. The rate adds only a few messages in the test's one or
        // two seconds.
        #expect((8 * 9...8 * 9 + 30).contains(passed.reduce(0, +)), "\(passed)")
        #expect(try App(9, on: broker).passed(9) == 9)
        #expect(try crowd[0].passed(100) < 10)
    }

    @Test("Without the limit, all messages of all terminals pass")
    func off() throws {
        var options = Self.options
        options["address_messages_per_second"] = 0
        let broker = try GateBroker(Cast.records(), options: options)

        for number in 1...8 { #expect(try App(number, on: broker).passed(100) == 100) }
    }

    @Test(
        "Connections of products count like terminals; devices, services, other addresses and 127.0.0.1 don't"
    )
    func counted() throws {
        let broker = try GateBroker(Cast.records(), options: Self.options)
        func passed(_ hello: MiniClient.Hello, _ topic: String) throws -> Int {
            let client = try MiniClient(broker.port, hello, from: Self.crowded)
            return try (0..<100).count { _ in try client.publish(topic) < 0x80 }
        }
        let service = MiniClient.Hello("service:sms", "sms", "svc.sms.1")

        #expect(try App(1, on: broker).passed(100) < 40)
        let register = "ll/v1/product/\(World.key)/\(World.mac)/register"
        #expect((5..<30).contains(try passed(Cast.product(), register)))
        #expect(try passed(Cast.device(), "\(Cast.ownDevice)/report") == 100)
        #expect(try passed(service, "ll/v1/system/outbound/result") == 100)
        #expect(try App(2, on: broker, from: 0x7F00_0009).passed(9) == 9)
        #expect(try App(3, on: broker, from: 0x7F00_0001).passed(100) == 100)
    }

    @Test("An address's refusals are reported once a second, with the reason")
    func told() throws {
        let broker = try GateBroker(Cast.records(), options: Self.options)
        let worker = try MiniClient(broker.port, Cast.worker())
        #expect(try worker.subscribe("ll/v1/system/refusal") == 1)
        let start = MiniClient.now()

        for number in 1...4 { _ = try App(number, on: broker).passed(100) }

        let seconds = Int(MiniClient.now() - start)
        let told = try #require(try worker.receive())
        #expect(told.payload.contains(#""address":"127.0.0.8","action":"publish""#))
        #expect(told.payload.contains(#""reason":"addressTooFast""#))
        var more = 0
        while try worker.receive(within: 0.3) != nil { more += 1 }
        #expect(more <= seconds + 1)
    }

    @Test("A terminal that is refused because of its address keeps its connection, and may reconnect")

    func notClosed() throws {
        let broker = try GateBroker(
            Cast.records(),
            options: Self.options.merging(
                [
                    "terminal_messages_per_second": 1_000_000, "terminal_message_burst": 1_000_000,
                    "too_fast_seconds": 1, "too_fast_closings": 1,
                ]
            ) { $1 }
        )
        let app = try App(1, on: broker)

        let end = MiniClient.now() + 3.5
        while MiniClient.now() < end { _ = try app.passed(20) }

        #expect(try app.client.waitForEnd(within: 0.3) == nil)
        #expect(try App(1, on: broker).client.code == 0)
        #expect(try App(2, on: broker).client.code == 0)
    }

    @Test("Reconnecting refills neither the address's bucket nor the terminal's share") func reconnecting() throws {
        let broker = try GateBroker(Cast.records(), options: Self.options)

        let passed = try (0..<5).map { _ in
            let app = try App(1, on: broker)
            let passed = try app.passed(100)
            try app.client.disconnect()
            _ = try app.client.waitForEnd()
            return passed
        }

        #expect((20..<30).contains(passed[0]), "\(passed)")
        #expect(passed.dropFirst().allSatisfy { $0 < 5 }, "\(passed)")
    }

    @Test("Wills count as messages of the address")
    func wills() throws {
        let broker = try GateBroker(Cast.records(), options: Self.options)
        let worker = try MiniClient(broker.port, Cast.worker())
        #expect(try worker.subscribe("ll/v1/app/#") == 1)
        var hello = Cast.app()
        hello.will = ("\(Cast.ownApp)/request/account/whoami", "will", false)
        for number in 1...2 { _ = try App(number, on: broker).passed(100) }
        var others = 0
        while try worker.receive(with: "{}", within: 0.3) != nil { others += 1 }
        #expect(others >= 20)

        for _ in 0..<40 { #expect(try MiniClient(broker.port, hello, from: Self.crowded).code == 0) }

        var wills = 0
        while try worker.receive(with: "will", within: 0.5) != nil { wills += 1 }
        // Each connection sends a CONNECT and a will, and both count towards the limit.
        #expect((2..<15).contains(wills), "\(wills)")
    }

    @Test(
        "An address without connections is forgotten once its bucket is full, or when there are too many addresses"
    )
    func forgotten() {
        var tallies = AddressTallies(messagesPerSecond: 1, messageBurst: 10, limit: 3)
        func visit(_ address: String, sending count: Int, at now: Int64) {
            guard let tally = tallies.join(address, at: now) else { return }
            var sender = AddressBudget.Sender(now: now)
            for _ in 0..<count { _ = tally.budget.take(&sender, at: now) }
            tallies.leave(tally, at: now)
        }

        visit("a", sending: 0, at: 0)
        #expect(tallies.count == 0)
        for address in ["a", "b", "c"] { visit(address, sending: 5, at: 0) }
        #expect(tallies.count == 3)
        visit("d", sending: 5, at: 1)
        #expect(tallies.count == 1)
        visit("e", sending: 5, at: 20_000)
        #expect(tallies.count == 1)
        #expect(AddressTallies(messagesPerSecond: 0, messageBurst: 0).count == 0)
    }
}
