import Domain
import JSON
import Logging
import Storage
import Synchronization
import Testing
import Wire

@testable import Workers

@Suite("Sending e-mails and texts", .timeLimit(.minutes(5)))
struct DeliveryTests {
    static func delivery(
        _ id: String = "m-1",
        _ channel: Delivery.Channel = .sms,
        purpose: String = "register",
        at now: Instant,
        isDummy: Bool = false
    ) -> Delivery {
        Delivery(
            id: MessageID(trusted: id),
            channel: channel,
            to: channel == .sms ? "15112345678" : "nora@example.org",
            countryCode: "49",
            app: World.app,
            template: .code,
            params: ["code": "482915", "purpose": purpose, "minutes": "10"],
            expiresAt: now.adding(seconds: 600),
            origin: .init(terminal: World.terminal(0), app: World.app, requestID: "q-\(id)"),
            isDummy: isDummy
        )
    }

    private static let code = "ll/v1/app/demo/\(World.terminal(0).text)/code"
    private static let outbound = "ll/v1/system/outbound/sms"
    private static let result = "ll/v1/system/outbound/result"

    private func service(
        _ world: World,
        _ routes: [Delivery.Channel: Route] = [:],
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) -> DeliveryService {
        DeliveryService(world.environment, routes: routes, logger: logger)
    }

    private func add(_ world: World, _ deliveries: Delivery...) throws {
        try world.write { tx in for delivery in deliveries { try tx.deliveries.add(delivery) } }
    }

    /// What was published on a topic since the last look.
    private func told(_ world: World, _ topic: String) throws -> [JSONObject] {
        try world.runSession()
        return world.broker.published.filter { $0.topic == topic }.compactMap {
            try? JSONValue.parse($0.payload).objectValue
        }
    }

    // MARK: Gateways

    @Test("A gateway gets the message as the contract has it, and its answer is told")
    func gateway() throws {
        let world = try World()
        try add(world, Self.delivery(at: world.clock.now))

        _ = service(world).round()
        let sent = try told(world, Self.outbound)
        #expect(
            sent == [
                [
                    "messageId": "m-1", "to": "15112345678", "countryCode": "49",
                    "template": "code",
                    "params": [
                        "code": "482915", "language": "en", "minutes": "10",
                        "purpose": "register",
                    ],
                    "appName": "Demo",
                    "expiresAt": .integer(world.clock.now.adding(seconds: 600).milliseconds),
                ]
            ]
        )
        #expect(try told(world, Self.code).isEmpty)

        world.broker.send(Self.result, ["messageId": "m-1", "ok": true])
        world.broker.send(Self.result, ["messageId": "m-1", "ok": true])
        #expect(try told(world, Self.code) == [["requestId": "q-m-1", "state": "sent"]])
        #expect(try world.count("delivery") == 0)
    }

    @Test("A gateway that is silent gets the message again, less and less often, until it expires")
    func silent() throws {
        let world = try World()
        let service = service(world)
        try add(world, Self.delivery(at: world.clock.now))

        var seconds: [Int] = []
        for second in 0..<620 {
            let before = world.broker.published.count { $0.topic == Self.outbound }
            _ = service.round()
            let after = try told(world, Self.outbound).count
            if after > before { seconds.append(second) }
            world.clock.advance(seconds: 1)
        }

        #expect(seconds == [0, 20, 60, 140, 300])
        let states = try told(world, Self.code)
        #expect(states.map { $0["state"] } == ["failed"])
        #expect(states.first?.errorCode == "Unavailable")
        #expect(try world.count("delivery") == 0)
    }

    @Test("A gateway that refuses three times has the message given up, and that is told once")
    func refused() throws {
        let world = try World()
        let service = service(world)
        try add(world, Self.delivery(at: world.clock.now))

        for _ in 0..<5 {
            _ = service.round()
            try world.runSession()
            world.broker.send(Self.result, ["messageId": "m-1", "ok": false, "error": "482915?"])
            try world.runSession()
            world.clock.advance(seconds: 30)
        }

        #expect(try told(world, Self.outbound).count == 3)
        #expect(try told(world, Self.code).map { $0["state"] } == ["failed"])
        #expect(try world.count("delivery") == 0)
    }

    @Test("What a gateway says went wrong is a line in the log, without codes and addresses")
    func gatewaysWords() throws {
        let lines = Lines()
        let world = try World()
        world.environment.deliveryDesk = DeliveryDesk(logger: Logger(label: "test") { _ in lines })
        let service = service(world)
        try add(world, Self.delivery(at: world.clock.now))
        _ = service.round()
        try world.runSession()
        let said =
            "no credit\nfor +4915112345678 (482915), 1 511 2345 678, see http://x/y or a@b.de"
        world.broker.send(
            Self.result,
            ["messageId": "m-1", "ok": false, "error": .string(said)]
        )
        try world.runSession()
        let log = lines.all.joined(separator: "|")
        #expect(log.contains("A message was not taken") && log.contains("no credit for "))
        for secret in ["5112345678", "482915", "2345", "x/y", "a@b.de", "\n"] {
            #expect(!log.contains(secret))
        }
    }

    @Test("An answer that is none is put aside; one for a message nobody knows is nobody's")
    func nonsense() throws {
        let world = try World()

        world.broker.send(Self.result, ["messageId": "m-9", "ok": true])
        world.broker.send(Self.result, ["messageId": "m-9"])
        try world.runSession()

        #expect(try world.count("deadLetter") == 1)
    }

    @Test("A message survives the end of the process at any point")
    func crash() throws {
        let world = try World()
        try add(world, Self.delivery(at: world.clock.now))

        // Published into the outbox, and the process ends before anything was published.
        _ = service(world).round()
        _ = service(world).round()

        #expect(try told(world, Self.outbound).count == 1)
    }

    // MARK: Direct ways

    @Test("A message handed over is told as sent, and what it says is written for its receiver")
    func direct() async throws {
        let world = try World()
        let far = FarSide()
        let service = service(world, [.sms: far.route])
        try add(world, Self.delivery(at: world.clock.now))

        try await far.run(service, until: 1)

        let message = far.taken.first
        #expect(message?.to == "+4915112345678")
        #expect(message?.text.sms.contains("482915") == true)
        #expect(message?.appName == "Demo")
        #expect(try told(world, Self.code).map { $0["state"] } == ["sent"])
        #expect(try world.count("delivery") == 0)
    }

    @Test("While the other side is away a message is tried again, and told only once it is through")
    func away() async throws {
        let world = try World()
        let far = FarSide(failures: 2, .unavailable("no connection"))
        let service = service(world, [.sms: far.route])
        try add(world, Self.delivery(at: world.clock.now))

        try await far.run(service, until: 1)
        #expect(try told(world, Self.code).isEmpty)
        world.clock.advance(seconds: 4)
        _ = service.round()
        #expect(far.calls == 1)
        world.clock.advance(seconds: 1)
        try await far.run(service, until: 2)
        world.clock.advance(seconds: 10)
        try await far.run(service, until: 3)

        #expect(try told(world, Self.code).map { $0["state"] } == ["sent"])
        #expect(try world.count("delivery") == 0)
    }

    @Test("A side that hangs holds as many messages as the limit says, and the other channel none")
    func hanging() async throws {
        var limits = Limits()
        limits.deliveriesAtOnce = 2
        let world = try World(limits: limits)
        let gate = Gate()
        let far = FarSide()
        let service = service(
            world,
            [
                .sms: .direct { (message) async throws(DeliveryFailure) in
                    try far.take(message)
                    await gate.wait()
                }, .email: far.route,
            ]
        )
        for number in 0..<5 { try add(world, Self.delivery("m-\(number)", at: world.clock.now)) }
        try add(world, Self.delivery("m-e", .email, at: world.clock.now))

        try await far.run(service, until: 3)
        _ = service.round()

        #expect(far.calls == 3)
        #expect(try world.count("delivery") >= 5)
        gate.open()
    }

    // MARK: The log

    @Test("In development the log shows the text; elsewhere it shows that there was one")
    func log() throws {
        for showsText in [true, false] {
            let world = try World()
            let lines = Lines()
            let logger = Logger(label: "test") { _ in lines }
            let service = service(world, [.sms: .log(showsText: showsText)], logger: logger)
            try add(world, Self.delivery(at: world.clock.now))

            _ = service.round()

            #expect(lines.all.count == 1)
            #expect(lines.all[0].contains("482915") == showsText)
            #expect(lines.all[0].contains("DEVELOPMENT ONLY") == showsText)
            #expect(try told(world, Self.code).map { $0["state"] } == ["sent"])
        }
    }

    // MARK: Dummies

    @Test("A dummy is never sent, and fares as the last real message of its channel did")
    func dummy() throws {
        let world = try World()
        let service = service(world)
        try add(world, Self.delivery(purpose: "resetPassword", at: world.clock.now))
        _ = service.round()
        try world.runSession()
        world.clock.advance(milliseconds: 700)
        world.broker.send(Self.result, ["messageId": "m-1", "ok": true])
        #expect(try told(world, Self.code).count == 1)

        try add(
            world,
            Self.delivery("m-2", purpose: "resetPassword", at: world.clock.now, isDummy: true)
        )
        _ = service.round()
        world.clock.advance(milliseconds: 699)
        _ = service.round()
        #expect(try told(world, Self.code).count == 1)
        world.clock.advance(milliseconds: 1)
        _ = service.round()

        #expect(
            try told(world, Self.code) == [
                ["requestId": "q-m-1", "state": "sent"], ["requestId": "q-m-2", "state": "sent"],
            ]
        )
        #expect(try told(world, Self.outbound).count == 1)
        #expect(try world.count("delivery") == 0)
    }

    @Test("While gateways are silent a dummy waits as a message does, and fails as it fails")
    func silentDummy() throws {
        let world = try World()
        let service = service(world)
        try add(world, Self.delivery(purpose: "resetPassword", at: world.clock.now))
        for _ in 0..<30 {
            _ = service.round()
            world.clock.advance(seconds: 1)
        }
        try add(
            world,
            Self.delivery("m-2", purpose: "resetPassword", at: world.clock.now, isDummy: true)
        )

        for _ in 0..<640 {
            _ = service.round()
            world.clock.advance(seconds: 1)
        }

        #expect(try told(world, Self.code).map { $0["state"] } == ["failed", "failed"])
    }

    @Test("That an address is refused is not told where it would tell that there is an account")
    func guarded() throws {
        let world = try World()
        let service = service(world)
        try add(world, Self.delivery(purpose: "resetPassword", at: world.clock.now))

        for _ in 0..<4 {
            _ = service.round()
            try world.runSession()
            world.broker.send(Self.result, ["messageId": "m-1", "ok": false])
            try world.runSession()
            world.clock.advance(seconds: 30)
        }

        #expect(try told(world, Self.code).map { $0["state"] } == ["sent"])
        #expect(try world.count("delivery") == 0)
    }
}

/// The other side of a direct way, which fails a few times first.
private final class FarSide: Sendable {
    private let state = Mutex<(taken: [OutgoingMessage], calls: Int, failures: Int)>(([], 0, 0))
    private let failure: DeliveryFailure

    init(failures: Int = 0, _ failure: DeliveryFailure = .unavailable("")) {
        self.failure = failure
        state.withLock { $0.failures = failures }
    }

    /// The way to this side.
    var route: Route {
        .direct { (message) async throws(DeliveryFailure) in try self.take(message) }
    }
    var taken: [OutgoingMessage] { state.withLock { $0.taken } }
    var calls: Int { state.withLock { $0.calls } }

    func take(_ message: OutgoingMessage) throws(DeliveryFailure) {
        let fails = state.withLock { state in
            state.calls += 1
            if state.failures > 0 {
                state.failures -= 1
                return true
            }
            state.taken.append(message)
            return false
        }
        if fails { throw failure }
    }

    /// Runs a round and waits until so many calls have come and what they led to is stored.
    func run(_ service: DeliveryService, until count: Int) async throws {
        _ = service.round()
        while calls < count { await Task.yield() }
        for _ in 0..<50 { try await Task.sleep(for: .milliseconds(2)) }
    }
}

/// Holds whoever waits until it is opened.
private final class Gate: Sendable {
    private let isOpen = Atomic<Bool>(false)

    func open() { isOpen.store(true, ordering: .releasing) }

    func wait() async {
        while !isOpen.load(ordering: .acquiring) {
            try? await Task.sleep(for: .milliseconds(5))
        }
    }
}

/// Keeps log lines.
private final class Lines: LogHandler {
    private let kept = Mutex<[String]>([])
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }

    var all: [String] { kept.withLock { $0 } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        kept.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
    }
}
