import Domain
import JSON
import Logging
import Storage
import TestKit
import Testing
import Wire

@testable import Workers

@Suite("Sending e-mails and texts", .endsInTime)
struct OutgoingMessageTests {
    static func message(
        _ id: String = "m-1",
        _ channel: OutgoingMessage.Channel = .sms,
        purpose: String = "register",
        at now: Instant,
        isDummy: Bool = false
    ) -> OutgoingMessage {
        OutgoingMessage(
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

    static let code = "ll/v1/app/demo/\(World.terminal(0).text)/code"
    static let outbound = "ll/v1/system/outbound/sms"
    static let result = "ll/v1/system/outbound/result"

    func service(
        _ world: World,
        _ routes: [OutgoingMessage.Channel: Route] = [:],
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) -> MessageSender {
        MessageSender(world.environment, routes: routes, logger: logger)
    }

    func add(_ world: World, _ messages: OutgoingMessage...) throws {
        try world.write { tx in for message in messages { try tx.outgoingMessages.add(message) } }
    }

    /// Runs the session worker, and returns all messages published to a topic so far.
    func told(_ world: World, _ topic: String) throws -> [JSONObject] {
        try world.runSession()
        return world.broker.published.filter { $0.topic == topic }.compactMap {
            try? JSONValue.parse($0.payload).objectValue
        }
    }

    /// Returns the records of messages that were sent or have failed.
    func records(_ world: World) throws -> [MessageRecord] {
        try world.read { try $0.messageRecords.page(behind: .begin, limit: 10) }
    }

    private func waiting(_ world: World) throws -> [(due: OutgoingMessageTable.Due, dueAt: Instant)] {
        try world.read { try $0.outgoingMessages.page(behind: .begin, limit: 10) }
    }

    func use(_ world: World) throws -> [String: ProviderUse] {
        try world.read { try $0.providerUses.all(of: World.app) }
    }

    @Test("A gateway gets the message in the schema's form, and its answer is published") func gateway() throws {
        let world = try World()
        try add(world, Self.message(at: world.clock.now))

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
        let record = try #require(try records(world).first)
        #expect((record.state, record.provider, record.tries) == (.sent, "gateway", 1))
        #expect((record.address, record.error) == ("•••78", nil))
        #expect(try use(world)["sms"]?.failedAt == nil)
        #expect(try use(world)["sms"]?.succeededAt == world.clock.now)
    }

    @Test("A silent gateway gets the message again, at growing intervals, until it expires") func silent() throws {
        let world = try World()
        let service = service(world)
        try add(world, Self.message(at: world.clock.now))

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
        #expect(try records(world).map(\.state) == [.expired])
        #expect(try records(world).map(\.tries) == [5])
    }

    @Test("After three refusals by a gateway the message fails, which is reported once") func refused() throws {
        let world = try World()
        let service = service(world)
        try add(world, Self.message(at: world.clock.now))

        var errors: [String?] = []
        for _ in 0..<5 {
            _ = service.round()
            try world.runSession()
            world.broker.send(Self.result, ["messageId": "m-1", "ok": false, "error": "482915? no"])
            try world.runSession()
            if let waiting = try waiting(world).first { errors.append(waiting.due.error) }
            world.clock.advance(seconds: 30)
        }

        #expect(try told(world, Self.outbound).count == 3)
        #expect(try told(world, Self.code).map { $0["state"] } == ["failed"])
        #expect(try world.count("delivery") == 0)
        // The stored error is the gateway's text without the code. This holds while the message waits and after its
        // failure.
        #expect(errors == ["***? no", "***? no"])
        #expect(try records(world).map(\.error) == ["***? no"])
        #expect(try records(world).map(\.state) == [.failed])
        #expect(try use(world)["sms"]?.failure == "***? no")
        #expect(try use(world)["sms"]?.succeededAt == nil)
    }

    @Test("A failed try that another process has repeated meanwhile changes nothing") func lateFailure() throws {
        let world = try World()
        try add(world, Self.message(at: world.clock.now))
        func claim() throws -> OutgoingMessageTable.Due {
            let claimed = try world.write { try $0.outgoingMessages.claim(.sms, leaseSeconds: 60, limit: 1) }
            world.clock.advance(seconds: 61)
            return try #require(claimed.first)
        }
        let (first, second) = (try claim(), try claim())
        let outcomes = world.environment.messageOutcomes
        func fail(_ row: OutgoingMessageTable.Due) throws {
            _ = try world.work { try outcomes.failed(row, .final("no"), by: "gateway", in: &$0) }
        }

        try fail(first)
        #expect(try waiting(world).map(\.due.tries) == [2] && records(world).isEmpty)

        try fail(second)
        #expect(try waiting(world).isEmpty && records(world).map(\.state) == [.failed])
    }

    @Test("A gateway's failure is logged without codes and addresses") func gatewaysWords() throws {
        let lines = LogLines()
        let world = try World()
        world.environment.messageOutcomes = MessageOutcomes(logger: Logger(label: "test") { _ in lines })
        let service = service(world)
        try add(world, Self.message(at: world.clock.now))
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
        #expect(log.contains("A message was not accepted") && log.contains("no credit for "))
        for secret in ["5112345678", "482915", "2345", "x/y", "a@b.de", "\n"] { #expect(!log.contains(secret)) }
    }

    @Test("A malformed answer becomes a dead letter, and an answer for an unknown message changes nothing")
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
        try add(world, Self.message(at: world.clock.now))

        // The first process stores the message in the outbox, and ends before it publishes the message.
        _ = service(world).round()
        _ = service(world).round()

        #expect(try told(world, Self.outbound).count == 1)
    }

}
