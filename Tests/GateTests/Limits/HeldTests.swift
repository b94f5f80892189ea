import Credentials
import Testing

@testable import Gate

/// Tests of the limits on messages that the broker holds for clients (reference: fairness#held).
@Suite("Messages held for one client, in Mosquitto")
struct HeldTests {
    static let status = "\(Cast.ownUser)/device/d-1/status"

    private func terminal(
        _ broker: GateBroker,
        isClean: Bool = true
    ) throws -> MiniClient {
        var hello = Cast.app(password: "token s-1")
        (hello.isClean, hello.sessionExpiry) = (isClean, 600)
        let terminal = try MiniClient(broker.port, hello)
        #expect(terminal.code == 0)
        #expect(try terminal.subscribe("\(Cast.ownUser)/#") == 1)
        return terminal
    }

    private func watcher(_ broker: GateBroker, of topic: String) throws -> MiniClient {
        let watcher = try MiniClient(broker.port, Cast.worker("watcher"))
        #expect(try watcher.subscribe(topic) == 1)
        return watcher
    }

    private func count(_ client: MiniClient, of text: String) throws -> Int {
        var count = 0
        while let message = try client.receive(within: 0.4) { if message.topic.contains(text) { count += 1 } }
        return count
    }

    @Test(
        "QoS 2 ends a device's connection, but a service may use it",
        arguments: [4, 5]
    )
    func qos(version: UInt8) throws {
        let broker = try GateBroker(Cast.records(), qos: 1)
        let device = try MiniClient(broker.port, Cast.device(version))
        let properties: [UInt8] = version == 5 ? [0] : []
        let body = MiniClient.text("\(Cast.ownDevice)/report") + [0, 7] + properties + [0x7B, 0x7D]
        try device.send(MiniClient.framed(0x34, body))
        #expect(try device.waitForEnd() != nil)

        let service = try MiniClient(broker.port, MiniClient.Hello("service:sms", "sms", "svc.sms.1", version: version))
        // This message makes the broker run its loop once more. The gate then allows the service to use QoS 2.
        _ = try MiniClient(broker.port, Cast.worker()).publish("ll/v1/system/test")
        let result = MiniClient.text("ll/v1/system/outbound/result") + [0, 8] + properties + [0x7B, 0x7D]
        try service.send(MiniClient.framed(0x34, result))
        #expect(try service.packet(0x50).prefix(2) == [0, 8])
    }

    @Test(
        "Messages beyond a device's limit are dropped and reported; without the limit, none is dropped",
        arguments: [20, 0]
    )
    func device(limit: Int) throws {
        let broker = try GateBroker(Cast.records(), options: ["device_held_messages": limit])
        let watcher = try watcher(broker, of: "ll/v1/system/refusal")
        let worker = try MiniClient(broker.port, Cast.worker())
        let device = try MiniClient(broker.port, Cast.device())
        #expect(try device.subscribe("\(Cast.ownDevice)/command") == 1)
        for _ in 0..<60 { _ = try worker.publish("\(Cast.ownDevice)/command", "{}") }

        #expect(try count(device, of: "/command") == (limit == 0 ? 60 : 20))
        let told = try watcher.receive(with: #""reason":"tooSlow""#, within: limit == 0 ? 0.3 : 5)
        #expect((told == nil) == (limit == 0))
    }

    @Test(
        "Statuses are dropped first, and requested again once the terminal accepts messages"
    )
    func statuses() throws {
        let broker = try GateBroker(
            Cast.records() + [Cast.terminal(session: "s-1")],
            options: ["terminal_held_messages": 40]
        )
        let worker = try MiniClient(broker.port, Cast.worker())
        let watcher = try watcher(broker, of: "ll/v1/system/missed")
        let terminal = try terminal(broker)
        for _ in 0..<60 { _ = try worker.publish(Self.status, "{}") }
        for _ in 0..<8 { _ = try worker.publish("\(Cast.ownUser)/device/d-1/event", "{}") }
        #expect(try watcher.receive(within: 0.3) == nil)

        var kinds: [String: Int] = [:]
        while let message = try terminal.receive(within: 0.4) {
            kinds[String(message.topic.split(separator: "/").last ?? ""), default: 0] += 1
        }
        #expect(kinds == ["status": 30, "event": 8])
        let told = try watcher.receive(with: World.terminal)
        #expect(told?.payload.contains(#""dids":["d-1"],"all":false"#) == true)
        #expect(told?.payload.contains(#""uid":"\#(World.uid)""#) == true)
    }

    @Test(
        "A disconnected session also keeps within the limit, and gets the dropped statuses after it reconnects"
    )
    func absent() throws {
        let broker = try GateBroker(
            Cast.records() + [Cast.terminal(session: "s-1")],
            options: ["terminal_held_messages": 40]
        )
        let worker = try MiniClient(broker.port, Cast.worker())
        let watcher = try watcher(broker, of: "ll/v1/system/missed")
        let first = try terminal(broker, isClean: false)
        try first.disconnect()
        #expect(try first.waitForEnd() != nil)
        for _ in 0..<100 { _ = try worker.publish(Self.status, "{}") }

        var hello = Cast.app(password: "token s-1")
        (hello.isClean, hello.sessionExpiry) = (false, 600)
        let second = try MiniClient(broker.port, hello)
        #expect(try count(second, of: "/status") == 30)
        #expect(try watcher.receive(with: #""dids":["d-1"]"#) != nil)
    }

    @Test("A client that acknowledges nothing while its window is full is disconnected")
    func stuck() throws {
        let broker = try GateBroker(
            Cast.records() + [Cast.terminal(session: "s-1")],
            options: ["too_slow_seconds": 1]
        )
        let worker = try MiniClient(broker.port, Cast.worker())
        let watcher = try watcher(broker, of: "ll/v1/system/refusal")
        let terminal = try terminal(broker)
        // The broker sends at most 100 unacknowledged messages to a client. So 120 messages fill the terminal's window.
        for _ in 0..<120 { _ = try worker.publish("\(Cast.ownUser)/session", "{}") }
        #expect(try watcher.receive(with: #""reason":"tooSlow""#) != nil)
        _ = terminal
        #expect(try watcher.receive(within: 0.1) == nil)
    }

    @Test("Near the limit of all clients, the client holding most messages is disconnected, and others stay")
    func sum() throws {
        let broker = try GateBroker(
            Cast.records() + [Cast.terminal(session: "s-1")],
            options: ["held_bytes": 24 << 20, "terminal_held_bytes": 0]
        )
        let worker = try MiniClient(broker.port, Cast.worker())
        let watcher = try watcher(broker, of: "ll/v1/system/refusal")
        let device = try MiniClient(broker.port, Cast.device())
        let terminal = try terminal(broker)
        let payload = [UInt8](repeating: 0x20, count: 60_000)
        for _ in 0..<500 { _ = try worker.publish("\(Cast.ownUser)/session", payload) }

        #expect(try watcher.receive(with: #""reason":"tooSlow""#, World.terminal) != nil)
        _ = terminal
        #expect(try device.waitForEnd(within: 0.2) == nil)
    }

    @Test("A session begun with the app's secret ends with the connection, and a session begun with a token stays")
    func sessions() throws {
        let broker = try GateBroker(Cast.records())
        let worker = try MiniClient(broker.port, Cast.worker())
        var hello = Cast.app()
        (hello.isClean, hello.sessionExpiry) = (false, 600)
        let first = try MiniClient(broker.port, hello)
        #expect(try first.subscribe("\(Cast.ownApp)/#") == 1)
        try first.disconnect()
        #expect(try first.waitForEnd() != nil)
        _ = try worker.publish("\(Cast.ownApp)/response", "lost")
        #expect(try MiniClient(broker.port, hello).receive(within: 0.3) == nil)

        try broker.append(Cast.terminal(session: "s-1"))
        hello.password = "token s-1"
        let second = try MiniClient(broker.port, hello)
        #expect(try second.subscribe("\(Cast.ownApp)/#") == 1)
        try second.disconnect()
        #expect(try second.waitForEnd() != nil)
        _ = try worker.publish("\(Cast.ownApp)/response", "kept")
        #expect(try MiniClient(broker.port, hello).receive()?.payload == "kept")
    }

    @Test("New client ids of all addresses have a rate, and one product gets at most half of it while others connect")
    func newcomers() throws {
        var newcomers = Newcomers(perSecond: 10, now: 0)
        var admitted = (0..<30).filter { newcomers.admit("a\($0)", of: "one", at: 0) }.count
        #expect(admitted == 10)
        let isKnownIn = newcomers.admit("a1", of: "one", at: 1)
        let isOtherIn = newcomers.admit("b1", of: "two", at: 2)
        #expect(isKnownIn && !isOtherIn)

        admitted = (100..<130).filter { newcomers.admit("a\($0)", of: "one", at: 1_100) }.count
        #expect(admitted == 5)
        let isOtherInNow = newcomers.admit("b1", of: "two", at: 1_101)
        #expect(isOtherInNow)
    }

    @Test("A new client id beyond the rate is refused as busy, even from this machine")
    func busy() throws {
        let broker = try GateBroker(Cast.records(), options: ["newcomers_per_second": 3])
        let watcher = try watcher(broker, of: "ll/v1/system/refusal")
        let codes = try (0..<20).map { number in
            var hello = Cast.product()
            hello.clientId = "00000000\(1_000 + number)"
            return try MiniClient(broker.port, hello).code
        }
        #expect(codes.prefix(3) == [0, 0, 0])
        #expect(codes.contains(0x87))
        #expect(try watcher.receive(with: #""reason":"busy""#) != nil)
        #expect(try MiniClient(broker.port, Cast.device()).code == 0)
    }
}
