import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("App requests")
struct RequestTests {
    private func world() throws -> World {
        let world = try World()
        try world.makeDevices(2, online: true)
        try world.makeUsers(3)
        return world
    }

    private func answers(_ world: World, _ user: Int = 0) -> [JSONObject] {
        world.broker.published(to: World.answerTopic(user))
    }

    private func bindRequest(_ world: World, _ user: Int, id: String, passcode: String? = nil) {
        world.sendRequest(
            user,
            "device/bind",
            id: id,
            ["did": .string(World.did(0).text), "passcode": .string(passcode ?? World.passcode(0))]
        )
    }

    // MARK: Repeats

    @Test("A repeat has one effect and gets the same answer")
    func repeats() throws {
        let world = try world()
        for _ in 0..<2 { bindRequest(world, 0, id: "q1") }
        try world.runControl()
        bindRequest(world, 0, id: "q1")
        try world.runControl()

        #expect(try world.count("binding") == 1)
        #expect(answers(world).count == 3)
        #expect(answers(world).allSatisfy { $0 == answers(world).first && $0.isOK })
        #expect(world.broker.published(to: "ll/v1/user/u-0/device").count == 1)
    }

    @Test("The same id with other content is refused, field id")
    func otherContent() throws {
        let world = try world()
        bindRequest(world, 0, id: "q1")
        world.sendRequest(0, "device/unbind", id: "q1", ["did": .string(World.did(0).text)])
        bindRequest(world, 0, id: "q1")
        try world.runControl()
        #expect(answers(world).map(\.errorCode) == [nil, "InvalidRequest", nil])
        #expect(answers(world)[1].errorField == "id")
        #expect(try world.count("binding") == 1)
    }

    @Test("Ten minutes later the id is free again")
    func forgotten() throws {
        let world = try world()
        bindRequest(world, 0, id: "q1")
        try world.runControl()
        world.clock.advance(seconds: 601)
        world.sendRequest(0, "device/unbind", id: "q1", ["did": .string(World.did(0).text)])
        try world.runControl()
        #expect(answers(world).allSatisfy { $0.isOK })
        #expect(try world.count("binding") == 0)
    }

    @Test("Two terminals may use one id")
    func idsPerTerminal() throws {
        let world = try world()
        for user in 0..<2 { bindRequest(world, user, id: "q1") }
        try world.runControl()
        #expect(try world.count("binding") == 2)
    }

    // MARK: Tokens

    @Test(
        "A token of nobody, of another terminal, or none is refused",
        arguments: ["", "nonsense", World.token(1)]
    )
    func tokens(_ token: String) throws {
        let world = try world()
        world.sendRequest(0, "device/list", id: "q1", token: token)
        try world.runControl()
        #expect(answers(world).map(\.errorCode) == ["InvalidToken"])
        #expect(answers(world).map(\.errorField) == ["token"])
    }

    @Test("A repeat with an ended session is refused, with the reason")
    func endedSession() throws {
        let world = try world()
        bindRequest(world, 0, id: "q1")
        try world.runControl()
        try world.write { (tx) throws in
            guard var session = try tx.sessions.find(SessionID(trusted: "s-0")) else { return }
            try tx.sessions.end(&session, .terminated)
        }
        bindRequest(world, 0, id: "q1")
        try world.runControl()
        #expect(answers(world).map(\.errorCode) == [nil, "InvalidToken"])
        #expect(answers(world).last?["error"]?.objectValue?["reason"] == "terminated")
    }

    @Test("A token named with another user is refused")
    func otherUser() throws {
        let world = try world()
        world.broker.send(
            World.requestTopic(0, "device/list"),
            ["id": "q1", "token": .string(World.token(0)), "uid": "u-1"]
        )
        try world.runControl()
        #expect(answers(world).first?.errorField == "uid")
    }

    // MARK: Envelopes and addresses

    @Test(
        "An answer goes where it is asked for, with its correlation, if that is the terminal's own"
    )
    func addresses() throws {
        let world = try world()
        let own = "ll/v1/app/demo/\(World.terminal(0).text)/mine"
        let payload = JSONObject([("id", "q1"), ("token", .string(World.token(0)))]).encoded()
        for topic in [
            own, "ll/v1/app/demo/\(World.terminal(1).text)/mine",
            "ll/v1/app/demo/\(World.terminal(0).text)/request/x",
        ] {
            world.broker.send(
                World.requestTopic(0, "device/list"),
                payload,
                response: topic,
                correlation: [1, 2]
            )
        }
        try world.runControl()
        let sent = world.broker.published.filter {
            $0.topic == own || $0.topic == World.answerTopic(0)
        }
        #expect(sent.map(\.topic) == [own, World.answerTopic(0), World.answerTopic(0)])
        #expect(sent.allSatisfy { $0.correlation == [1, 2] })
    }

    @Test("A bad envelope is put aside by its shape alone, and answered")
    func badEnvelope() throws {
        let world = try world()
        world.broker.send(
            World.requestTopic(0, "device/list"),
            text: #"{"id":"q","token":7,"params":{"x":"canary-55"}}"#
        )
        world.broker.send(World.requestTopic(0, "device/list"), text: "canary-55")
        try world.runControl()
        #expect(answers(world).map(\.errorCode) == ["InvalidRequest", "InvalidRequest"])
        let letters = try world.read { try $0.deadLetters.page(limit: 5) }
        #expect(letters.count == 2)
        #expect(
            letters.allSatisfy {
                !String(decoding: $0.payload, as: UTF8.self).contains("canary-55")
            }
        )
    }

    @Test(
        "A method that the contract doesn't have is invalid",
        arguments: [
            ("device/fly", "InvalidRequest"), ("device", "InvalidRequest"),
            ("device/list/x", "InvalidRequest"),
        ]
    )
    func unknown(_ method: String, _ code: String) throws {
        let world = try world()
        world.sendRequest(0, method, id: "q1")
        try world.runControl()
        #expect(answers(world).map(\.errorCode) == [code])
    }

    // MARK: Binding

    @Test("Five wrong passcodes lock the device and the user for a while")
    func wrongPasscodes() throws {
        let world = try world()
        for number in 0..<5 { bindRequest(world, 0, id: "w\(number)", passcode: "wrong-one") }
        bindRequest(world, 0, id: "right")
        try world.runControl()
        #expect(
            answers(world).map(\.errorCode) == Array(repeating: "InvalidCredentials", count: 5) + [
                "TooManyRequests"
            ]
        )
        world.clock.advance(seconds: 901)
        bindRequest(world, 0, id: "later")
        try world.runControl()
        #expect(answers(world).last?.isOK == true)
    }

    @Test("Unbinding clears the kept status and passes the role on")
    func unbind() throws {
        let world = try world()
        for user in 0..<2 { bindRequest(world, user, id: "b") }
        try world.runControl()
        try world.runStatus()
        #expect(world.broker.retained[World.statusTopic(0, 0)] != nil)
        #expect(
            try world.read { try $0.bindings.find(World.did(0), World.uid(0)) }?.role == .special
        )

        world.sendRequest(0, "device/unbind", id: "u", ["did": .string(World.did(0).text)])
        try world.runControl()
        try world.runStatus()
        #expect(world.broker.retained[World.statusTopic(0, 0)] == nil)
        #expect(world.broker.retained[World.statusTopic(1, 0)] != nil)
        #expect(
            try world.read { try $0.bindings.find(World.did(0), World.uid(1)) }?.role == .special
        )
        #expect(world.broker.published(to: "ll/v1/user/u-0/device").last?["type"] == "unbound")
    }

    @Test("Unsubscribing clears the kept status, and subscribing brings it back")
    func subscribe() throws {
        let world = try world()
        bindRequest(world, 0, id: "b")
        try world.runControl()
        try world.runStatus()
        for (id, isOn) in [("off", false), ("on", true)] {
            world.sendRequest(
                0,
                "device/subscribe",
                id: id,
                ["did": .string(World.did(0).text), "subscribed": .bool(isOn)]
            )
            try world.runControl()
            try world.runStatus()
            #expect((world.broker.retained[World.statusTopic(0, 0)] != nil) == isOn)
        }
    }

    // MARK: Commands

    private func control(
        _ world: World,
        id: String,
        wait: Bool = false,
        ttl: Int64 = 30,
        _ data: JSONObject = ["level": 5]
    ) {
        world.sendRequest(
            0,
            "device/control",
            id: id,
            [
                "did": .string(World.did(0).text), "data": .object(data), "ttl": .integer(ttl),
                "wait": .bool(wait), "sn": 9,
            ]
        )
    }

    private func bound() throws -> World {
        let world = try world()
        try world.bind(0, 0)
        return world
    }

    @Test("A command is sent, obeyed, and its outcome told to who asked")
    func command() throws {
        let world = try bound()
        control(world, id: "c")
        try world.runControl()
        let sent = try #require(world.broker.published(to: World.command(0)).first)
        #expect(sent["cid"] == 1 && sent["sn"] == 9 && sent["data"] == ["level": 5])
        #expect(answers(world).first?["result"]?.objectValue?["state"] == "sent")
        let expiresAt = world.broker.published.first { $0.topic == World.command(0) }?.expiresAt
        #expect(expiresAt == world.clock.now.adding(seconds: 30))

        world.sendReport(0, ["cid": 1, "code": 0, "data": ["level": 5]])
        try world.runStatus()
        let outcome = world.broker.published(ending: "\(World.terminal(0).text)/command").last
        #expect(outcome?["state"] == "done" && outcome?["data"] == ["level": 5])
    }

    @Test("Who waits is answered with the final state; repeats wait too")
    func waiting() throws {
        let world = try bound()
        control(world, id: "c", wait: true)
        control(world, id: "c", wait: true)
        try world.runControl()
        #expect(answers(world).isEmpty)
        #expect(world.broker.published(to: World.command(0)).count == 1)

        world.sendReport(0, ["cid": 1, "code": 7])
        try world.runStatus()
        #expect(answers(world).count == 2)
        #expect(answers(world).allSatisfy { $0["result"]?.objectValue?["state"] == "failed" })
        control(world, id: "c", wait: true)
        try world.runControl()
        #expect(answers(world).count == 3 && answers(world)[2] == answers(world)[0])
    }

    @Test(
        "A command without an answer expires; who waits hears it, and a late answer changes nothing"
    )
    func expiry() throws {
        let world = try bound()
        control(world, id: "c", wait: true, ttl: 10)
        try world.runControl()
        world.clock.advance(seconds: 10)
        try world.runControl()
        #expect(answers(world).first?["result"]?.objectValue?["state"] == "expired")
        #expect(world.broker.published(ending: "/command").last?["state"] == "expired")

        world.sendReport(0, ["cid": 1, "code": 0])
        try world.runStatus()
        let command = try #require(
            try world.read { try $0.commands.newest(World.did(0), limit: 1) }.first
        )
        #expect(command.state == .expired && command.isLate)
        #expect(answers(world).count == 1)
    }

    @Test("An answer after the time and before anybody looked ends the waiting too")
    func lateAnswerFirst() throws {
        let world = try bound()
        control(world, id: "c", wait: true, ttl: 10)
        try world.runControl()
        world.clock.advance(seconds: 10)
        world.sendReport(0, ["cid": 1, "code": 0])
        try world.runStatus()
        try world.runControl()
        #expect(answers(world).map { $0["result"]?.objectValue?["state"] } == ["expired"])
        #expect(world.broker.published(ending: "/command").last?["state"] == "expired")
        #expect(try world.count("waiter") == 0)
    }

    @Test("A device that is away, a stranger, and data that doesn't fit are refused")
    func refusals() throws {
        let world = try bound()
        control(world, id: "a", ["temperature": 1])
        control(world, id: "b", ["level": -1])
        control(world, id: "c", [:])
        try world.setOnline(0, false)
        control(world, id: "d")
        world.sendRequest(
            1,
            "device/control",
            id: "e",
            ["did": .string(World.did(0).text), "data": ["level": 1]]
        )
        try world.runControl()
        #expect(
            answers(world).map(\.errorCode) == [
                "InvalidRequest", "InvalidRequest", "InvalidRequest", "DeviceOffline",
            ]
        )
        #expect(answers(world, 1).map(\.errorCode) == ["NotBound"])
        #expect(world.broker.published(to: World.command(0)).isEmpty)
    }

    @Test("A write-only value reaches the device and is stored nowhere in clear")
    func writeOnly() throws {
        let world = try bound()
        control(world, id: "c", ["pin": "canary-4711"])
        world.broker.confirms = false
        var loop = try world.loop(RequestHandler.control(world.environment))
        for _ in 0..<3 { try loop.turn() }
        #expect(
            world.broker.published(to: World.command(0)).first?["data"] == ["pin": "canary-4711"]
        )
        #expect(try world.count("outbox") == 1)
        let command = try world.read { try $0.commands.newest(World.did(0), limit: 1) }.first
        #expect(command?.data == ["pin": "***"])
        let rows = try world.read { tx in
            try tx.sql.query("SELECT messages FROM outbox") {
                String(decoding: $0.bytes(0), as: UTF8.self)
            }
        }
        #expect(rows.allSatisfy { !$0.contains("canary-4711") })
    }
}

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

    @Test("A session begun after the notice's time lives on")
    func younger() throws {
        let world = try World()
        try world.makeUsers(1)
        notice(world, id: "n1", since: -1)
        try world.runSession()
        #expect(told(world).isEmpty)
        #expect(try world.read { try $0.sessions.find(SessionID(trusted: "s-0")) }?.endedAt == nil)
    }

    @Test(
        "A session that was replaced leaves the new one alone, and its own end is told alone",
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
        #expect(
            try world.read { try $0.sessions.find(SessionID(trusted: "s-new")) }?.endedAt == nil
        )
    }

    @Test("A user's sessions end, except on the terminal that is spared")
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

    @Test("A login begins a session, a second one replaces it, and logging out ends it")
    func loginAndLogout() throws {
        let world = try World()
        func login(_ id: String) throws -> String {
            world.broker.send(
                World.requestTopic(0, "account/loginAnonymous"),
                [
                    "id": .string(id),
                    "params": ["countryCode": "49", "deviceId": "0123456789abcdef"],
                ]
            )
            try world.runAccount()
            let result = world.broker.published(to: World.answerTopic(0)).last?["result"]?
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
            world.broker.published(to: World.answerTopic(0)).suffix(3).map(\.errorCode) == [
                "InvalidToken", nil, "InvalidToken",
            ]
        )
        #expect(
            world.broker.published(to: "ll/v1/system/session-invalid").map { $0["reason"] } == [
                "replaced", "loggedOut",
            ]
        )
    }

    @Test("Requests of a worker that is away are turned away, those of one that is there are left")
    func awayWorkers() throws {
        let world = try World()
        try world.makeUsers(1)
        world.broker.retain(
            "ll/v1/system/worker/control",
            SystemCodec.workerState(isOnline: true, ts: world.clock.now)
        )
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
        let answers = world.broker.published(to: World.answerTopic(0))
        #expect(answers.map { $0["id"] } == ["b", "c", "d"])
        #expect(answers.map(\.errorCode) == ["Unavailable", "InvalidRequest", "Unavailable"])
    }

    @Test("Terminals with a session hear that a worker went and came")
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
        let told = world.broker.published(to: "ll/v1/app/demo/\(World.terminal(0).text)/system")
            .filter { $0["service"] == "control" }
        #expect(told.map { $0["type"] } == ["serviceDown", "serviceUp"])
    }
}
