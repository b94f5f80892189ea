import Credentials
import Glibc
import JSON
import Testing

@testable import Gate

private typealias Hello = MiniClient.Hello

/// Records whose secrets the tests know, and how their owners connect.
private enum Cast {
    static let ownDevice = "ll/v1/device/\(World.did)"
    static let ownApp = "ll/v1/app/demo/\(World.terminal)"
    static let ownUser = "ll/v1/user/\(World.uid)"

    static func records() throws -> [Record] {
        [
            .product(key: World.key, secret: try GateBroker.hash("product")),
            .device(did: World.did, secret: try GateBroker.hash("device")),
            .app(appId: "demo", secret: try GateBroker.hash("app")),
            .service(name: "sms", secret: try GateBroker.hash("sms"), role: .gateway),
        ]
    }

    static func terminal(session: String? = nil, lasting: Int64 = 60_000) throws -> Record {
        let session = try session.map {
            Session(
                sessionId: $0,
                uid: World.uid,
                token: try GateBroker.hash("token \($0)"),
                expiresAt: Clock.now() + lasting
            )
        }
        return .terminal(terminalId: World.terminal, appId: "demo", session: session)
    }

    static func product(_ version: UInt8 = 5) -> Hello {
        Hello("product:\(World.key)", "product", World.mac, version: version)
    }

    static func device(_ version: UInt8 = 5, password: String = "device") -> Hello {
        Hello("device:\(World.did)", password, World.did, version: version)
    }

    static func app(_ version: UInt8 = 5, password: String = "app") -> Hello {
        Hello("app:demo", password, World.terminal, version: version)
    }

    static func worker(_ name: String = "test", _ version: UInt8 = 5) -> Hello {
        Hello("service:lamplighter", GateBroker.worker, "svc.lamplighter.\(name)", version: version)
    }
}

@Suite("The gate in Mosquitto", .timeLimit(.minutes(2)))
struct BrokerTests {
    @Test("Every principal connects, and is refused with the contract's codes", arguments: [5, 4])
    func codes(version: UInt8) throws {
        let broker = try GateBroker(Cast.records())
        let (refused, denied): (UInt8, UInt8) = version == 5 ? (0x87, 0x87) : (5, 0x80)

        for hello in [
            Cast.product(version), Cast.device(version), Cast.app(version),
            Cast.worker("a", version),
            Hello("service:sms", "sms", "svc.sms.1", version: version),
        ] {
            #expect(try MiniClient(broker.port, hello).code == 0)
            var wrong = hello
            wrong.password = "wrong"
            #expect(try MiniClient(broker.port, wrong).code == refused)
            wrong = hello
            wrong.clientId = "somebody"
            #expect(try MiniClient(broker.port, wrong).code == refused)
        }
        #expect(try MiniClient(broker.port, Hello(nil, nil, "x", version: version)).code == refused)
        #expect(try MiniClient(broker.port, Hello("", "", "", version: version)).code == refused)

        let device = try MiniClient(broker.port, Cast.device(version))
        #expect(try device.subscribe("\(Cast.ownDevice)/command") == 1)
        #expect(try device.subscribe("\(Cast.ownDevice)/#") == denied)
        #expect(try device.subscribe("#") == denied)
        let accepted: UInt8 = version == 5 ? 0x10 : 0
        let denial: UInt8 = version == 5 ? 0x87 : 0
        #expect(try device.publish("\(Cast.ownDevice)/report") == accepted)
        #expect(try device.publish("\(Cast.ownDevice)/command") == denial)
        #expect(try device.publish("\(Cast.ownDevice)/report", retained: true) == denial)
        #expect(try device.publish("$CONTROL/lamplighter/v1") == denial)
    }

    @Test("Only the worker of the options gets in while the file is missing or damaged")
    func closed() throws {
        let broker = try GateBroker(Cast.records())
        #expect(try MiniClient(broker.port, Cast.device()).code == 0)

        try GateBroker.write("nonsense that is longer than a header", to: broker.credentials)
        #expect(try MiniClient(broker.port, Cast.device()).code == 0x87)
        #expect(try MiniClient(broker.port, Cast.worker()).code == 0)

        unlink(broker.credentials)
        #expect(try MiniClient(broker.port, Cast.device()).code == 0x87)
        #expect(try MiniClient(broker.port, Cast.worker()).code == 0)

        var file = try CredentialsFile(path: broker.credentials)
        try file.rewrite(Cast.records())
        #expect(try MiniClient(broker.port, Cast.device()).code == 0)
    }

    @Test("Who is written into the file connects right after, and who is removed does not")
    func live() throws {
        let broker = try GateBroker(Cast.records())
        var file = try CredentialsFile(path: broker.credentials)

        for round in 0..<500 {
            try file.append([
                .device(did: World.did, secret: GateBroker.hash("secret \(round)"))
            ])
            let new = try MiniClient(broker.port, Cast.device(password: "secret \(round)"))
            let old = try MiniClient(broker.port, Cast.device(password: "secret \(round - 1)"))
            #expect(new.code == 0 && old.code == 0x87)
            if round % 100 == 0 { try file.rewrite(Cast.records()) }
        }
        try file.append([.removed(.device, key: World.did)])
        #expect(try MiniClient(broker.port, Cast.device()).code == 0x87)
    }

    @Test("A device whose record is replaced or removed loses its connection")
    func rotated() throws {
        let broker = try GateBroker(Cast.records())
        let device = try MiniClient(broker.port, Cast.device())
        let other = try MiniClient(broker.port, Cast.product())

        try broker.append(.device(did: World.did, secret: GateBroker.hash("new")))

        #expect(try device.waitForEnd() != nil)
        #expect(try other.subscribe("ll/v1/product/\(World.key)/\(World.mac)/registered") == 1)
    }

    @Test("Presence numbers connections and says why each ended")
    func presence() throws {
        let broker = try GateBroker(Cast.records())
        let worker = try MiniClient(broker.port, Cast.worker())
        #expect(try worker.subscribe("ll/v1/system/presence/+") == 1)
        func next() throws -> (online: Bool, connection: Int64, reason: String?) {
            let message = try #require(try worker.receive())
            #expect(message.topic == "ll/v1/system/presence/\(World.did)")
            let payload = try JSONValue.parse(Array(message.payload.utf8)).objectValue
            let connection = try #require(payload?["connection"]?.intValue)
            return (payload?["online"] == true, connection, payload?["reason"]?.stringValue)
        }

        let first = try MiniClient(broker.port, Cast.device())
        let one = try next()
        let second = try MiniClient(broker.port, Cast.device())
        let (oneEnded, two) = (try next(), try next())
        #expect(one == (true, one.connection, nil))
        #expect(oneEnded == (false, one.connection, "takenOver"))
        #expect(two.online && two.connection > one.connection)
        #expect(try first.waitForEnd() != nil)

        _ = try worker.publish(
            "$CONTROL/lamplighter/v1",
            #"{"commands":[{"command":"announcePresence"}]}"#
        )
        #expect(try next() == two)
        try second.disconnect()
        #expect(try next() == (false, two.connection, "closed"))

        let third = try MiniClient(broker.port, Cast.device())
        let three = try next()
        try third.send([0, 0])
        #expect(try next() == (false, three.connection, "lost"))

        let fourth = try MiniClient(broker.port, Cast.device())
        let four = try next()
        _ = try worker.publish(
            "$CONTROL/lamplighter/v1",
            #"{"commands":[{"command":"kickDevice","did":"\#(World.did)"},{"command":"other"}]}"#
        )
        #expect(try next() == (false, four.connection, "kicked"))
        #expect(try fourth.waitForEnd() != nil)
    }

    @Test("Wills: none retained, none to foreign topics, none after a kick")
    func wills() throws {
        let broker = try GateBroker(Cast.records())
        let worker = try MiniClient(broker.port, Cast.worker())
        _ = try worker.subscribe("ll/v1/device/#")
        func lose(_ topic: String, _ payload: String, retained: Bool = false) throws {
            var hello = Cast.device()
            hello.will = (topic, payload, retained)
            _ = try MiniClient(broker.port, hello).send([0, 0])
        }

        try lose("\(Cast.ownDevice)/command", "foreign")
        try lose("\(Cast.ownDevice)/presence", "retained", retained: true)
        try lose("\(Cast.ownDevice)/presence", "good")
        #expect(try worker.receive()?.payload == "good")

        var hello = Cast.device()
        hello.will = ("\(Cast.ownDevice)/presence", "kicked", false)
        let device = try MiniClient(broker.port, hello)
        _ = try worker.publish(
            "$CONTROL/lamplighter/v1",
            #"{"commands":[{"command":"kickDevice","did":"\#(World.did)"}]}"#
        )
        #expect(try device.waitForEnd() != nil)
        try lose("\(Cast.ownDevice)/presence", "last")
        #expect(try worker.receive()?.payload == "last")
    }

    @Test("A worker's will never commands the gate")
    func controlWill() throws {
        let broker = try GateBroker(Cast.records())
        let worker = try MiniClient(broker.port, Cast.worker("listening"))
        #expect(try worker.subscribe("$CONTROL/lamplighter/#") == 1)
        #expect(try worker.subscribe("ll/v1/system/refusal") == 1)

        var hello = Cast.worker("dying")
        hello.will = ("$CONTROL/lamplighter/v1", "{}", false)
        _ = try MiniClient(broker.port, hello).send([0, 0])

        let message = try worker.receive()
        #expect(message?.topic == "ll/v1/system/refusal")
        #expect(message?.payload.contains("reservedTopic") == true)
    }
}

@Suite("Sessions on terminals in Mosquitto", .timeLimit(.minutes(2)))
struct SessionTests {
    @Test("A user's space opens with the login's record and closes with the revocation")
    func revoke() throws {
        let broker = try GateBroker(Cast.records())
        let worker = try MiniClient(broker.port, Cast.worker())
        var hello = Cast.app()
        hello.will = ("\(Cast.ownApp)/request/account/logout", "will", false)
        let app = try MiniClient(broker.port, hello)
        #expect(try app.subscribe("\(Cast.ownApp)/#") == 1)
        #expect(try app.subscribe("\(Cast.ownUser)/#") == 0x87)
        try broker.append(Cast.terminal(session: "s-1"))
        #expect(try app.subscribe("\(Cast.ownUser)/#") == 1)
        #expect(try worker.publish("\(Cast.ownUser)/device", "open") == 0)
        #expect(try app.receive()?.payload == "open")
        _ = try worker.subscribe("ll/v1/app/#")
        #expect(try app.publish("\(Cast.ownApp)/request/a/b", "asked") == 0)
        #expect(try worker.receive()?.payload == "asked")

        // The file isn't written: the command alone must be enough.
        _ = try worker.publish("$CONTROL/lamplighter/v1", Self.revocation("s-1"))
        _ = try worker.publish("\(Cast.ownUser)/device", "secret")
        _ = try worker.publish("\(Cast.ownApp)/session", "ended")
        #expect(try app.receive()?.payload == "ended")
        let took = try #require(try app.waitForEnd())
        #expect((0.25...0.6).contains(took))
        #expect(try worker.receive(within: 0.3)?.payload == "ended")
        #expect(try worker.receive(within: 0.3) == nil)
    }

    @Test("Another session that has begun on the terminal is left alone")
    func replaced() throws {
        let broker = try GateBroker(Cast.records() + [Cast.terminal(session: "s-1")])
        let worker = try MiniClient(broker.port, Cast.worker())
        let first = try MiniClient(broker.port, Cast.app(password: "token s-1"))
        #expect(first.code == 0)

        _ = try worker.publish("$CONTROL/lamplighter/v1", Self.revocation("s-1"))
        try broker.append(Cast.terminal(session: "s-2"))

        #expect(try MiniClient(broker.port, Cast.app()).code == 0x87)
        #expect(try MiniClient(broker.port, Cast.app(password: "token s-1")).code == 0x87)
        let second = try MiniClient(broker.port, Cast.app(password: "token s-2"))
        #expect(second.code == 0)
        #expect(try second.subscribe("\(Cast.ownUser)/#") == 1)
        #expect(try second.waitForEnd(within: 0.8) == nil)
    }

    @Test("What was queued for a session that ended is not delivered afterwards")
    func queued() throws {
        let broker = try GateBroker(Cast.records() + [Cast.terminal(session: "s-1")])
        let worker = try MiniClient(broker.port, Cast.worker())
        var hello = Cast.app(password: "token s-1")
        (hello.isClean, hello.sessionExpiry) = (false, 600)
        let first = try MiniClient(broker.port, hello)
        #expect(try first.subscribe("\(Cast.ownUser)/#") == 1)
        #expect(try first.subscribe("\(Cast.ownApp)/#") == 1)
        try first.disconnect()
        #expect(try first.waitForEnd() != nil)
        _ = try worker.publish("\(Cast.ownUser)/device", "secret")

        try broker.append(Cast.terminal())
        _ = try worker.publish("\(Cast.ownUser)/device", "secret too")
        _ = try worker.publish("\(Cast.ownApp)/response", "for the terminal")

        hello.password = "app"
        let second = try MiniClient(broker.port, hello)
        #expect(second.code == 0)
        #expect(try second.receive()?.payload == "for the terminal")
        #expect(try second.receive(within: 0.2) == nil)
    }

    @Test("Retained messages of a user are delivered with a session only")
    func retained() throws {
        let broker = try GateBroker(Cast.records() + [Cast.terminal(session: "s-1")])
        let worker = try MiniClient(broker.port, Cast.worker())
        _ = try worker.publish("\(Cast.ownUser)/device/x/status", "kept", retained: true)
        // The source is gone when the message is delivered, and is asked about all the same.
        try worker.disconnect()
        #expect(try worker.waitForEnd() != nil)

        let app = try MiniClient(broker.port, Cast.app(password: "token s-1"))
        #expect(try app.subscribe("\(Cast.ownUser)/#") == 1)

        #expect(try app.receive()?.payload == "kept")
    }

    @Test("A session that expires closes the user's space by itself")
    func expires() throws {
        let broker = try GateBroker(
            Cast.records() + [Cast.terminal(session: "s-1", lasting: 500)]
        )
        let app = try MiniClient(broker.port, Cast.app(password: "token s-1"))
        #expect(try app.subscribe("\(Cast.ownUser)/#") == 1)

        #expect(try app.receive(within: 0.6) == nil)

        #expect(try app.subscribe("\(Cast.ownUser)/device") == 0x87)
    }

    private static func revocation(_ sessionId: String) -> String {
        #"{"commands":[{"command":"revokeSession","sessionId":"\#(sessionId)","#
            + #""terminalId":"\#(World.terminal)"}]}"#
    }
}

@Suite("What the gate tells of refusals", .timeLimit(.minutes(2)))
struct RefusalTests {
    @Test("Each refusal is told with its reason, and never with a password")
    func told() throws {
        let broker = try GateBroker(Cast.records())
        let worker = try MiniClient(broker.port, Cast.worker())
        _ = try worker.subscribe("ll/v1/system/refusal")
        let device = try MiniClient(broker.port, Cast.device())

        _ = try MiniClient(broker.port, Cast.device(password: "hush"))
        let connect = try #require(try worker.receive())
        _ = try device.publish("ll/v1/device/other/report")
        let publish = try #require(try worker.receive())
        _ = try device.subscribe("$SYS/#")
        let subscribe = try #require(try worker.receive())
        _ = try MiniClient(broker.port, Hello("hush", "hush", World.did))
        let masked = try #require(try worker.receive())

        let name =
            #""username":"device:\#(World.did)","clientId":"\#(World.did)","address":"127.0.0.1""#
        #expect(
            connect.payload.hasPrefix("{\(name),\"action\":\"connect\",\"reason\":\"badSecret\",")
        )
        #expect(
            publish.payload.contains(#""topic":"ll/v1/device/other/report","reason":"notAllowed""#)
        )
        #expect(subscribe.payload.contains(#""action":"subscribe","topic":"$SYS/#""#))
        #expect(masked.payload.contains(#""username":"?""#))
        for message in [connect, publish, subscribe, masked] {
            #expect(!message.payload.contains("hush"))
        }
    }

    @Test("Beyond a hundred a second refusals are counted, and told with the next")
    func suppressed() {
        var refusals = Refusals(root: "ll/v1", perSecond: 2)
        let entry = Refusals.Entry(
            username: nil,
            clientId: String(repeating: "é", count: 400),
            address: "",
            action: .connect,
            reason: .noUsername
        )

        let told = (0..<5).map { _ in refusals.message(about: entry, at: 1_000) != nil }
        let next = refusals.message(about: entry, at: 2_000)

        #expect(told == [true, true, false, false, false])
        let payload = next.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(payload?.contains(#""suppressed":3"#) == true)
        #expect((payload?.utf8.count ?? 0) < 400)
    }

    @Test("Garbage, half packets and strange names don't end the broker", arguments: 0..<2)
    func garbage(seed: UInt64) throws {
        let broker = try GateBroker(Cast.records())
        var random = Seeded(seed)
        let names = [
            "device:", "app:demo", "💡", "service:\u{FFFD}", "a:b:c",
            String(repeating: "x", count: 9_000),
        ]

        for _ in 0..<300 {
            var packet = MiniClient.connect(
                Hello(names[random.below(6)], names[random.below(6)], names[random.below(6)])
            )
            for _ in 0..<random.below(4) {
                packet[random.below(packet.count)] = UInt8(random.below(256))
            }
            let file = try MiniClient.open(broker.port, within: 5)
            _ = Glibc.send(
                file,
                packet,
                random.below(packet.count + 1),
                Int32(MSG_NOSIGNAL)
            )
            close(file)
            let worker = try MiniClient(broker.port, Cast.worker())
            let payload = (0..<random.below(60)).map { _ in
                Array(#"{}[]":,0e-x\ commands"#.unicodeScalars)[random.below(20)]
            }
            var text = ""
            text.unicodeScalars.append(contentsOf: payload)
            _ = try worker.publish("$CONTROL/lamplighter/v1", text)
        }

        #expect(try MiniClient(broker.port, Cast.device()).code == 0)
    }
}
