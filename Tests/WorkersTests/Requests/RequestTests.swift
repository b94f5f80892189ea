import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("App requests")
struct RequestTests {
    // MARK: Repeats

    @Test("A repeated request has one effect and gets the same answer")
    func repeats() throws {
        let world = try World(devices: 1, online: true, users: 3)
        for _ in 0..<2 { world.sendBinding(0, id: "q1") }
        try world.runControl()
        world.sendBinding(0, id: "q1")
        try world.runControl()

        #expect(try world.count("binding") == 1)
        #expect(world.answers().count == 3)
        #expect(world.answers().allSatisfy { $0 == world.answers().first && $0.isOK })
        #expect(world.broker.published(to: "ll/v1/user/u-0/device").count == 1)
    }

    @Test("The same id with other content is refused with the field id")
    func otherContent() throws {
        let world = try World(devices: 1, online: true, users: 3)
        world.sendBinding(0, id: "q1")
        world.sendRequest(0, "device/unbind", id: "q1", ["did": .string(World.did(0).text)])
        world.sendBinding(0, id: "q1")
        try world.runControl()
        #expect(world.answers().map(\.errorCode) == [nil, "InvalidRequest", nil])
        #expect(world.answers()[1].errorField == "id")
        #expect(try world.count("binding") == 1)
    }

    @Test("After ten minutes the id is free again")
    func forgotten() throws {
        let world = try World(devices: 1, online: true, users: 3)
        world.sendBinding(0, id: "q1")
        try world.runControl()
        world.clock.advance(seconds: 601)
        world.sendRequest(0, "device/unbind", id: "q1", ["did": .string(World.did(0).text)])
        try world.runControl()
        #expect(world.answers().allSatisfy { $0.isOK })
        #expect(try world.count("binding") == 0)
    }

    @Test("Two terminals can use the same id")
    func idsPerTerminal() throws {
        let world = try World(devices: 1, online: true, users: 3)
        for user in 0..<2 { world.sendBinding(user, id: "q1") }
        try world.runControl()
        #expect(try world.count("binding") == 2)
    }

    // MARK: Tokens

    @Test(
        "An unknown, foreign or missing token is refused",
        arguments: ["", "nonsense", World.token(1)]
    )
    func tokens(_ token: String) throws {
        let world = try World(devices: 1, online: true, users: 3)
        world.sendRequest(0, "device/list", id: "q1", token: token)
        try world.runControl()
        #expect(world.answers().map(\.errorCode) == ["InvalidToken"])
        #expect(world.answers().map(\.errorField) == ["token"])
    }

    @Test("A repeated request of an ended session is refused with the reason")
    func endedSession() throws {
        let world = try World(devices: 1, online: true, users: 3)
        world.sendBinding(0, id: "q1")
        try world.runControl()
        try world.write { (tx) throws in
            guard var session = try tx.sessions.find(SessionID(trusted: "s-0")) else { return }
            try tx.sessions.end(&session, .terminated)
        }
        world.sendBinding(0, id: "q1")
        try world.runControl()
        #expect(world.answers().map(\.errorCode) == [nil, "InvalidToken"])
        #expect(world.answers().last?["error"]?.objectValue?["reason"] == "terminated")
    }

    @Test("A token with another user's id is refused")
    func otherUser() throws {
        let world = try World(devices: 1, online: true, users: 3)
        world.broker.send(
            World.requestTopic(0, "device/list"),
            ["id": "q1", "token": .string(World.token(0)), "uid": "u-1"]
        )
        try world.runControl()
        #expect(world.answers().first?.errorField == "uid")
    }

    // MARK: Envelopes and addresses

    @Test(
        "An answer goes to the requested topic with the correlation data, if the topic is the terminal's own"
    )
    func addresses() throws {
        let world = try World(devices: 1, online: true, users: 3)
        let own = "ll/v1/app/demo/\(World.terminal(0).text)/mine"
        let payload = JSONObject([("id", "q1"), ("token", .string(World.token(0)))]).encoded()
        for topic in [
            own, "ll/v1/app/demo/\(World.terminal(1).text)/mine", "ll/v1/app/demo/\(World.terminal(0).text)/request/x",
        ] { world.broker.send(World.requestTopic(0, "device/list"), payload, response: topic, correlation: [1, 2]) }
        try world.runControl()
        let sent = world.broker.published.filter { $0.topic == own || $0.topic == World.answerTopic(0) }
        #expect(sent.map(\.topic) == [own, World.answerTopic(0), World.answerTopic(0)])
        #expect(sent.allSatisfy { $0.correlation == [1, 2] })
    }

    @Test("Only the structure of an invalid envelope is stored as a dead letter, and it is answered")

    func badEnvelope() throws {
        let world = try World(devices: 1, online: true, users: 3)
        world.broker.send(
            World.requestTopic(0, "device/list"),
            text: #"{"id":"q","token":7,"params":{"x":"canary-55"}}"#
        )
        world.broker.send(World.requestTopic(0, "device/list"), text: "canary-55")
        try world.runControl()
        #expect(world.answers().map(\.errorCode) == ["InvalidRequest", "InvalidRequest"])
        let letters = try world.read { try $0.deadLetters.page(limit: 5) }
        #expect(letters.count == 2)
        #expect(letters.allSatisfy { !String(decoding: $0.payload, as: UTF8.self).contains("canary-55") })
    }

    @Test(
        "An unknown method is invalid",
        arguments: [
            ("device/fly", "InvalidRequest"), ("device", "InvalidRequest"), ("device/list/x", "InvalidRequest"),
        ]
    )
    func unknown(_ method: String, _ code: String) throws {
        let world = try World(devices: 1, online: true, users: 3)
        world.sendRequest(0, method, id: "q1")
        try world.runControl()
        #expect(world.answers().map(\.errorCode) == [code])
    }

}
