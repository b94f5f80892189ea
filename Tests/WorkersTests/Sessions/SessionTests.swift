import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("Sessions")
struct SessionTests {
    private func notice(
        _ world: World,
        id: String,
        session: String = "s-0",
        reason: String = "operator",
        since: Int64 = 0
    ) {
        world.broker.send(
            "ll/v1/system/session-invalid",
            [
                "noticeId": .string(id), "sessionId": .string(session), "reason": .string(reason),
                "ts": .integer(world.clock.now.milliseconds + since),
            ]
        )
    }

    private func told(_ world: World) -> [JSONObject] {
        world.broker.published(to: "ll/v1/app/demo/\(World.terminal(0).text)/session")
    }

    @Test("A notice is carried out once")
    func once() throws {
        let world = try World()
        try world.makeUsers(1)
        for _ in 0..<2 { notice(world, id: "n1") }
        try world.runSession()
        notice(world, id: "n1")
        try world.runSession()

        #expect(told(world).count == 1)
        #expect(told(world).first?["reason"] == "operator")
        #expect(world.broker.published.filter { $0.topic == Topics.gateControl }.count == 1)
        #expect(world.broker.published(to: "ll/v1/user/u-0/session").count == 1)
        let session = try world.read { try $0.sessions.find(SessionID(trusted: "s-0")) }
        #expect(session?.endReason == .operator)
    }

    @Test("An ended session is cut off even if it began by a clock since set back")
    func endedAfterSettingBack() throws {
        let world = try World()
        try world.makeUsers(1)
        world.clock.set(back: 3600)
        try world.write { (tx) throws in
            var session = try #require(try tx.sessions.find(SessionID(trusted: "s-0")))
            try tx.sessions.end(&session, .operator)
        }
        notice(world, id: "n1")
        try world.runSession()

        #expect(told(world).count == 1)
        #expect(world.broker.published.filter { $0.topic == Topics.gateControl }.count == 1)
    }

    @Test("A session that began after the notice's time continues")
    func younger() throws {
        let world = try World()
        try world.makeUsers(1)
        notice(world, id: "n1", since: -1)
        try world.runSession()
        #expect(told(world).isEmpty)
        #expect(try world.read { try $0.sessions.find(SessionID(trusted: "s-0")) }?.endedAt == nil)
    }

    @Test(
        "A notice of a replaced session doesn't affect the new session, and is published once",
        arguments: ["replaced", "operator"]
    )
    func replaced(_ reason: String) throws {
        let world = try World()
        try world.makeUsers(1)
        try world.write { (tx) throws in
            guard var session = try tx.sessions.find(SessionID(trusted: "s-0")) else { return }
            try tx.sessions.end(&session, .replaced)
            try tx.sessions.begin(World.session(0, since: tx.now, id: "s-new"), token: "new")
        }
        notice(world, id: "n1", reason: reason)
        try world.runSession()
        #expect(told(world).isEmpty)
        #expect(!world.broker.published.contains { $0.topic == Topics.gateControl })
        #expect(
            world.broker.published(to: "ll/v1/user/u-0/session").map { $0["type"] }
                == [
                    "terminalLoggedOut"
                ].filter { _ in reason == "replaced" }
        )
        #expect(try world.read { try $0.sessions.find(SessionID(trusted: "s-new")) }?.endedAt == nil)
    }

    @Test("A user's sessions end, except on the excluded terminal")
    func user() throws {
        let world = try World()
        try world.makeUsers(1)
        try world.write { (tx) throws in
            var other = World.session(1, since: tx.now, id: "s-other")
            other.uid = World.uid(0)
            try tx.sessions.begin(other, token: "other")
        }
        world.broker.send(
            "ll/v1/system/session-invalid",
            [
                "noticeId": "n1", "uid": "u-0", "exceptTerminalId": .string(World.terminal(1).text),
                "reason": "passwordChanged", "ts": .integer(world.clock.now.milliseconds),
            ]
        )
        try world.runSession()
        let live = try world.read { try $0.sessions.live(of: World.uid(0)) }
        #expect(live.map(\.id.text) == ["s-other"])
    }

    @Test("A login begins a session, a second login replaces it, and a logout ends it") func loginAndLogout() throws {
        let world = try World()
        func login(_ id: String) throws -> String {
            world.broker.send(
                World.requestTopic(0, "account/loginAnonymous"),
                ["id": .string(id), "params": ["countryCode": "49", "deviceId": "0123456789abcdef"]]
            )
            try world.runAccount()
            let result = world.answers().last?["result"]?
                .objectValue
            return try #require(result?["token"]?.stringValue)
        }
        let first = try login("a")
        let repeated = try login("a")
        let second = try login("b")
        #expect(first == repeated && first != second)
        #expect(try world.count("account") == 1)
        #expect(try world.count("session") == 2)
        world.sendRequest(0, "account/whoami", id: "w1", token: first)
        world.sendRequest(0, "account/logout", id: "out", token: second)
        world.sendRequest(0, "account/whoami", id: "w2", token: second)
        try world.runAccount()
        #expect(
            world.answers().suffix(3).map(\.errorCode) == [
                "InvalidToken", nil, "InvalidToken",
            ]
        )
        #expect(
            world.broker.published(to: "ll/v1/system/session-invalid").map { $0["reason"] } == [
                "replaced", "loggedOut",
            ]
        )
    }

    @Test("Requests of an absent worker are refused, and those of a present worker are left to it")

    func awayWorkers() throws {
        let world = try World()
        try world.makeUsers(1)
        world.broker.retain("ll/v1/system/worker/control", SystemCodec.workerState(isOnline: true, ts: world.clock.now))
        world.broker.retain(
            "ll/v1/system/worker/account",
            SystemCodec.workerState(isOnline: false, ts: world.clock.now)
        )
        var loop = try world.loop(SessionHandler(world.environment))
        try world.settle(&loop)
        world.sendRequest(0, "device/list", id: "a")
        world.sendRequest(0, "account/whoami", id: "b")
        world.sendRequest(0, "cooking/eggs", id: "c")
        world.sendRequest(0, "schedule/list", id: "d")
        try world.settle(&loop)
        let answers = world.answers()
        #expect(answers.map { $0["id"] } == ["b", "c", "d"])
        #expect(answers.map(\.errorCode) == ["Unavailable", "InvalidRequest", "Unavailable"])
    }

    @Test("Terminals with a session are told when a worker goes and returns")
    func workersComeAndGo() throws {
        let world = try World()
        try world.makeUsers(1)
        var loop = try world.loop(SessionHandler(world.environment))
        for isOnline in [true, false, false, true] {
            world.broker.send(
                "ll/v1/system/worker/control",
                SystemCodec.workerState(isOnline: isOnline, ts: world.clock.now)
            )
            try world.settle(&loop)
        }
        let told = world.broker.published(to: "ll/v1/app/demo/\(World.terminal(0).text)/system").filter {
            $0["service"] == "control"
        }
        #expect(told.map { $0["type"] } == ["serviceDown", "serviceUp"])
    }

    @Test(
        "A stop of the whole service publishes no message about its workers, and leaves none in the outbox"
    )
    func allEnd() throws {
        let world = try World()
        try world.makeUsers(1)
        var loop = try world.loop(SessionHandler(world.environment))
        for isOnline in [true, false] {
            if !isOnline { world.environment.ending.begin() }
            for worker in ["control", "schedule"] {
                world.broker.send(
                    "ll/v1/system/worker/\(worker)",
                    SystemCodec.workerState(isOnline: isOnline, ts: world.clock.now)
                )
            }
            try world.settle(&loop)
        }
        let told = world.broker.published(to: "ll/v1/app/demo/\(World.terminal(0).text)/system")
        #expect(told.isEmpty)
        #expect(try world.count("outbox") == 0)
    }
}
