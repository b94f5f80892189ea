import Credentials
import TestKit
import Testing

@testable import Gate

@Suite("Limits of one connection, in Mosquitto", .endsInTime)
struct LimitTests {
    private static let request = "\(Cast.ownApp)/request/account/whoami"
    private static let register = "ll/v1/product/\(World.key)/\(World.mac)/register"
    private static let report = "\(Cast.ownDevice)/report"

    /// Returns options that limit the messages of one kind of client, but not the bytes.
    private static func options(_ who: String, rate: Int = 1, burst: Int) -> [String: Int] {
        ["\(who)_messages_per_second": rate, "\(who)_message_burst": burst, "\(who)_bytes_per_second": 0]
    }

    private static func hello(_ who: String, _ version: UInt8) -> (MiniClient.Hello, String) {
        switch who {
        case "device": (Cast.device(version), report)
        case "product": (Cast.product(version), register)
        case "key": (Cast.app(version, password: "token k-1"), request)
        case "service":
            (MiniClient.Hello("service:sms", "sms", "svc.sms.1", version: version), "ll/v1/system/outbound/result")
        default: (Cast.app(version), request)
        }
    }

    @Test(
        "Messages of any QoS beyond the burst are refused and not delivered",
        arguments: ["terminal", "key", "device", "product", "service"],
        [5, 4] as [UInt8]
    )
    func messages(who: String, version: UInt8) throws {
        let key = try who == "key" ? [Cast.terminal(session: "k-1", of: "k-1")] : []
        let broker = try GateBroker(Cast.records() + key, options: Self.options(who, burst: 11))
        let worker = try MiniClient(broker.port, Cast.worker())
        #expect(try worker.subscribe("ll/v1/#") == 1)
        let (hello, topic) = Self.hello(who, version)
        let client = try MiniClient(broker.port, hello)

        // The CONNECT counts as the first of the eleven messages in the burst.
        for number in 0..<3 { try client.publishOnly(topic, "passed \(number)") }
        for number in 3..<6 { #expect(try client.publishTwice(topic, "passed \(number)") < 0x80) }
        for number in 6..<10 { #expect(try client.publish(topic, "passed \(number)") < 0x80) }
        let denial: UInt8 = version == 5 ? 0x87 : 0
        #expect(try client.publish(topic, "beyond") == denial)
        #expect(try client.publishTwice(topic, "beyond") == denial)
        try client.publishOnly(topic, "beyond")

        var passed = 0
        while let message = try worker.receive(within: passed < 10 ? 5 : 0.3) {
            if message.payload.hasPrefix("passed") { passed += 1 }
            #expect(message.payload != "beyond")
        }
        #expect(passed == 10)
    }

    @Test(
        "Filters are counted at the same rates as messages, but separately",
        arguments: zip(["terminal", "device", "product", "service"], [5, 4, 5, 4] as [UInt8])
    )
    func filters(who: String, version: UInt8) throws {
        let broker = try GateBroker(Cast.records(), options: Self.options(who, burst: 11))
        let (hello, topic) = Self.hello(who, version)
        let client = try MiniClient(broker.port, hello)
        let filter = Self.filter(who)

        for _ in 0..<11 { #expect(try client.subscribe(filter) == 1) }
        #expect(try client.subscribe(filter) == (version == 5 ? 0x87 : 0x80))
        #expect(try client.publish(topic) < 0x80)
    }

    private static func filter(_ who: String) -> String {
        switch who {
        case "device": "\(Cast.ownDevice)/command"
        case "product": "ll/v1/product/\(World.key)/\(World.mac)/registered"
        case "service": "ll/v1/system/outbound/sms"
        default: "\(Cast.ownApp)/response"
        }
    }

    @Test("Without the limits, all messages pass", arguments: ["terminal", "device", "product"]) func off(
        who: String
    ) throws {
        let broker = try GateBroker(
            Cast.records(),
            options: ["\(who)_messages_per_second": 0, "\(who)_bytes_per_second": 0]
        )
        let (hello, topic) = Self.hello(who, 5)
        let client = try MiniClient(broker.port, hello)

        for _ in 0..<1_000 { #expect(try client.publish(topic) < 0x80) }
    }

    @Test("Workers are never limited, whatever limits services have")
    func workers() throws {
        let broker = try GateBroker(Cast.records(), options: Self.options("service", burst: 1))
        let worker = try MiniClient(broker.port, Cast.worker())

        for _ in 0..<200 { #expect(try worker.publish("ll/v1/device/a/command") < 0x80) }
    }

    @Test("Topic, payload and properties are counted in bytes", arguments: [0, 1])
    func bytes(inProperties: Int) throws {
        let broker = try GateBroker(
            Cast.records(),
            options: ["terminal_bytes_per_second": 1, "terminal_byte_burst": 10_000]
        )
        let client = try MiniClient(broker.port, Cast.app())
        let filling = String(repeating: "x", count: 4_000)

        let codes = try (0..<3).map { _ in
            inProperties == 1
                ? try client.publish(Self.request, properties: MiniClient.user("x", filling))
                : try client.publish(Self.request, filling)
        }

        #expect(codes == [0x10, 0x10, 0x87])
    }

    @Test("One refusal a second is reported, with its reason")
    func told() throws {
        let broker = try GateBroker(Cast.records(), options: Self.options("terminal", burst: 1))
        let worker = try MiniClient(broker.port, Cast.worker())
        #expect(try worker.subscribe("ll/v1/system/refusal") == 1)
        let client = try MiniClient(broker.port, Cast.app())

        for _ in 0..<100 { #expect(try client.publish(Self.request) == 0x87) }

        let told = try #require(try worker.receive())
        #expect(told.payload.contains(#""action":"publish","topic":"\#(Self.request)""#))
        #expect(told.payload.contains(#""reason":"tooFast""#))
        // The gate reports one refusal per second. The messages were sent in less than two seconds, so one more report
        // can follow.
        _ = try worker.receive(within: 0.3)
        #expect(try worker.receive(within: 0.3) == nil)
    }

    @Test(
        "A client that keeps exceeding the rate is disconnected, refused for a while, and then admitted",
        arguments: [5, 4]
    )
    func closed(version: UInt8) throws {
        var options = Self.options("terminal", burst: 2)
        (options["too_fast_seconds"], options["too_fast_pause"]) = (1, 2)
        let broker = try GateBroker(Cast.records(), options: options)
        let worker = try MiniClient(broker.port, Cast.worker())
        let client = try MiniClient(broker.port, Cast.app(version))
        let start = MiniClient.now()

        while try client.waitForEnd(within: 0.01) == nil, MiniClient.now() < start + 5 {
            try client.publishOnly(Self.request)
        }
        #expect((0.9...2.5).contains(MiniClient.now() - start))

        #expect(try worker.subscribe("ll/v1/system/refusal") == 1)
        let refused: UInt8 = version == 5 ? 0x87 : 5
        #expect(try MiniClient(broker.port, Cast.app(version)).code == refused)
        let told = try #require(try worker.receive(with: #""action":"connect""#))
        #expect(told.payload.contains(#""reason":"tooFast""#))
        // The gate refuses this client id only at this address. A client with the same id can connect from another
        // address.
        #expect(try MiniClient(broker.port, Cast.app(version), from: 0x7F00_0009).code == 0)

        while MiniClient.now() < start + 20 { if try MiniClient(broker.port, Cast.app(version)).code == 0 { return } }
        Issue.record("the pause never ended")
    }

    @Test("Without the limits, no connection is closed")
    func neverClosed() throws {
        var options = Self.options("terminal", burst: 1)
        options["too_fast_seconds"] = 0
        let broker = try GateBroker(Cast.records(), options: options)
        let client = try MiniClient(broker.port, Cast.app())
        let end = MiniClient.now() + 2.5

        var codes: Set<UInt8> = []
        while MiniClient.now() < end { codes.insert(try client.publish(Self.request)) }

        #expect(codes == [0x10, 0x87])
        #expect(try client.waitForEnd(within: 0.3) == nil)
    }

    @Test(
        "An address with many closed connections is refused, except for clients with secrets of their own"
    )
    func address() throws {
        var options = Self.options("terminal", burst: 1)
        (options["too_fast_seconds"], options["too_fast_closings"]) = (1, 2)
        let records = try Cast.records() + [Cast.terminal(session: "s-1")]
        let broker = try GateBroker(records, options: options)
        let far: UInt32 = 0x7F00_0008
        func app(_ digit: Int) -> MiniClient.Hello {
            MiniClient.Hello("app:demo", "app", String(repeating: "\(digit)", count: 32))
        }

        for number in 1...2 {
            let client = try MiniClient(broker.port, app(number), from: far)
            #expect(client.code == 0)
            let topic = "ll/v1/app/demo/\(String(repeating: "\(number)", count: 32))/request/a/b"
            let end = MiniClient.now() + 5
            while try client.waitForEnd(within: 0.01) == nil, MiniClient.now() < end { try client.publishOnly(topic) }
        }

        #expect(try MiniClient(broker.port, app(3), from: far).code == 0x87)
        #expect(try MiniClient(broker.port, Cast.product(), from: far).code == 0x87)
        #expect(try MiniClient(broker.port, Cast.device(), from: far).code == 0)
        let known = Cast.app(password: "token s-1")
        #expect(try MiniClient(broker.port, known, from: far).code == 0)
        #expect(try MiniClient(broker.port, app(3)).code == 0)
    }

    @Test("Neither reconnecting nor a will refills the bucket")
    func reconnecting() throws {
        let broker = try GateBroker(Cast.records(), options: Self.options("terminal", burst: 20))
        let worker = try MiniClient(broker.port, Cast.worker())
        #expect(try worker.subscribe("ll/v1/app/#") == 1)
        var hello = Cast.app()
        hello.will = (Self.request, "will", false)

        var codes: [UInt8?] = []
        for _ in 0..<30 { codes.append(try MiniClient(broker.port, hello).code) }

        // Each connection uses two of the burst's messages: a CONNECT and a will.
        #expect((8...13).contains(codes.count { $0 == 0 }))
        #expect(codes.suffix(5).allSatisfy { $0 == 0x87 })
        var wills = 0
        while try worker.receive(within: 0.3) != nil { wills += 1 }
        #expect((8...13).contains(wills))
    }

    @Test("New client ids of an address are counted for products as for apps")
    func newClients() throws {
        let broker = try GateBroker(Cast.records(), newClientsPerMinute: 3)
        func code(_ number: Int, from source: UInt32) throws -> UInt8? {
            let mac = "a1b2c3d4e50\(number)"
            let hello = MiniClient.Hello("product:\(World.key)", "product", mac)
            return try MiniClient(broker.port, hello, from: source).code
        }

        let far = try (0..<6).map { try code($0, from: 0x7F00_0007) }
        let near = try (0..<6).map { try code($0, from: 0x7F00_0001) }

        // A new minute can begin during the test. The gate then counts the new client ids from zero.
        #expect(far.count { $0 == 0x87 } >= 2 && far.first == 0)
        #expect(near.allSatisfy { $0 == 0 })
    }
}
