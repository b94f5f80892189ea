import Credentials
import Testing

@testable import Gate

/// Tests for a broker whose private structures the gate doesn't know, so the gate estimates how many messages are
/// waiting.
@Suite("Estimated unacknowledged messages at another broker")
struct EstimateTests {
    @Test(
        "A sent message counts until a connection may have accepted it, and nothing is sent beyond the limit"
    )
    func estimate() {
        let limit = HeldLimit(bytes: 4 << 20, messages: 1_000)
        let held = Held("one", limit: limit)
        let begin = Clock.coarse()
        var sent = 0
        while held.hasRoom(bytes: 64 << 10, isStatus: false) {
            held.add(bytes: 64 << 10)
            sent += 1
        }
        #expect(sent == 64)
        held.estimate(at: begin + 40_000, isAccepting: false)
        #expect(held.messages == 64 && held.bytes == 4 << 20)
        held.estimate(at: begin + 41_000, isAccepting: true)
        #expect(held.bytes == (4 << 20) - HeldLimit.takenBytesPerSecond && held.messages == 0)
    }

    @Test("A resumed session has accepted none of its queued messages")
    func comesBack() {
        let held = Held("one", limit: HeldLimit(bytes: 4 << 20, messages: 1_000))
        for _ in 0..<300 { held.add(bytes: 1_000) }
        held.client = nil
        held.estimate(at: Clock.coarse() + 1, isAccepting: true)
        #expect(held.messages >= 299)
    }

    @Test("A connection ends if nothing is accepted for a minute")
    func stuck() {
        let held = Held("one", limit: HeldLimit(bytes: 0, messages: 10))
        for _ in 0..<10 { held.add(bytes: 100) }
        let begin = Clock.coarse()
        held.estimate(at: begin, isAccepting: false)
        #expect(held.stuckSince == begin)
        held.estimate(at: begin + 1_000, isAccepting: true)
        #expect(held.stuckSince == .max)
    }

    @Test(
        "A closed session is reported until the service has ended it; a session that is resumed before stays"
    )
    func owed() throws {
        let broker = try GateBroker(Cast.records(), isOther: true)
        let watcher = try MiniClient(broker.port, Cast.worker("watcher"))
        #expect(try watcher.subscribe("ll/v1/system/session-owed") == 1)
        var hello = Cast.app()
        (hello.isClean, hello.sessionExpiry) = (false, 600)
        let first = try MiniClient(broker.port, hello)
        #expect(try first.subscribe("\(Cast.ownApp)/#") == 1)
        #expect(try watcher.receive(within: 1.2) == nil)
        try first.disconnect()
        #expect(try first.waitForEnd() != nil)
        for _ in 0..<2 { #expect(try watcher.receive(with: World.terminal) != nil) }

        #expect(try MiniClient(broker.port, Self.service).code == 0)
        // The gate lets the service end each session only once.
        #expect(try MiniClient(broker.port, Self.service).code == 0x87)
        _ = try MiniClient(broker.port, Cast.worker()).publish("\(Cast.ownApp)/response", "lost")
        #expect(try MiniClient(broker.port, hello).receive(within: 0.3) == nil)
    }

    @Test(
        "Near the limit of all clients, the client with most sent messages is closed until its session has ended"
    )
    func sum() throws {
        let broker = try GateBroker(
            Cast.records() + [Cast.terminal(session: "s-1")],
            options: ["held_bytes": 24 << 20, "terminal_held_bytes": 0],
            isOther: true
        )
        let worker = try MiniClient(broker.port, Cast.worker())
        let watcher = try MiniClient(broker.port, Cast.worker("watcher"))
        #expect(try watcher.subscribe("ll/v1/system/refusal") == 1)
        let device = try MiniClient(broker.port, Cast.device())
        var hello = Cast.app(password: "token s-1")
        (hello.isClean, hello.sessionExpiry) = (false, 600)
        let terminal = try MiniClient(broker.port, hello)
        #expect(try terminal.subscribe("\(Cast.ownUser)/#") == 1)
        let payload = [UInt8](repeating: 0x20, count: 60_000)
        for _ in 0..<500 { _ = try worker.publish("\(Cast.ownUser)/session", payload) }

        #expect(try watcher.receive(with: #""reason":"tooSlow""#, World.terminal) != nil)
        #expect(try device.waitForEnd(within: 0.2) == nil)
        #expect(try MiniClient(broker.port, hello).code == 0x87)
        #expect(try watcher.receive(with: #""reason":"busy""#, World.terminal) != nil)
        #expect(try MiniClient(broker.port, Self.service).code == 0)
        let next = try MiniClient(broker.port, hello)
        #expect(next.code == 0)
        #expect(try next.receive(within: 0.3) == nil)
    }

    /// The CONNECT packet with which the service ends the terminal's MQTT session.
    private static var service: MiniClient.Hello {
        var hello = MiniClient.Hello("service:lamplighter", GateBroker.worker, World.terminal)
        hello.isClean = true
        return hello
    }
}
