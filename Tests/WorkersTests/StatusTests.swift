import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("The status worker")
struct StatusTests {
    private func bound(devices: Int = 1, online: Bool = false) throws -> World {
        let world = try World()
        try world.makeDevices(devices, online: online)
        try world.makeUsers(2)
        for device in 0..<devices { try world.bind(device, 0) }
        return world
    }

    // MARK: Once

    @Test("The same id takes effect once and gets the same answer, in one batch and in many")
    func sameID() throws {
        let world = try bound()
        for _ in 0..<3 { world.sendReport(0, ["id": "r1", "data": ["level": 1]]) }
        try world.runStatus()
        world.sendReport(0, ["id": "r2", "data": ["level": 2]])
        world.sendReport(0, ["id": "r1", "data": ["level": 1]])
        try world.runStatus()

        #expect(try world.status(0)?.version == 2)
        #expect(try world.historyCount(0) == 2)
        let answers = world.broker.published(to: World.response(0))
        #expect(answers.count == 5)
        #expect(answers.allSatisfy { $0["version"]?.intValue == ($0["id"] == "r1" ? 1 : 2) })
    }

    @Test("Two devices may use one id")
    func idsPerDevice() throws {
        let world = try bound(devices: 2)
        for device in 0..<2 { world.sendReport(device, ["id": "r1", "data": ["level": 1]]) }
        try world.runStatus()
        #expect(try world.historyCount(0) == 1)
        #expect(try world.historyCount(1) == 1)
    }

    @Test("Without an id, one time and content count once; without either, each delivery counts")
    func withoutID() throws {
        let world = try bound()
        let ts = JSONValue.integer(world.clock.now.milliseconds - 5)
        for _ in 0..<2 { world.sendReport(0, ["ts": ts, "data": ["level": 1]]) }
        try world.runStatus()
        #expect(try world.historyCount(0) == 1)
        world.sendReport(0, ["ts": ts, "data": ["level": 2]])
        for _ in 0..<2 { world.sendReport(0, ["data": ["level": 3]]) }
        try world.runStatus()
        #expect(try world.historyCount(0) == 4)
    }

    @Test("A repeat without an id is known by its time, be it the newest, late, or one of many")
    func repeatsByTime() throws {
        let world = try bound()
        let now = world.clock.now.milliseconds
        func send(_ ago: Int64, _ level: Int64) {
            world.sendReport(0, ["ts": .integer(now - ago), "data": ["level": .integer(level)]])
        }
        // Two of one moment, a newer one, a late one; then all of them again, in one batch and in two.
        func sendAll() {
            for (ago, level) in [(50, 1), (50, 2), (10, 3), (70, 4)] as [(Int64, Int64)] {
                send(ago, level)
            }
        }
        sendAll()
        sendAll()
        try world.runStatus()
        #expect(try world.historyCount(0) == 4)
        sendAll()
        try world.runStatus()
        #expect(try world.historyCount(0) == 4)
        // More of one moment than a status notes.
        for _ in 0..<2 {
            for level in 0..<50 { send(5, Int64(level)) }
            try world.runStatus()
        }
        #expect(try world.historyCount(0) == 54)
        // What was refused leaves no mark.
        world.sendReport(0, ["ts": .integer(now - 1), "data": ["nothing": 1]])
        send(1, 7)
        try world.runStatus()
        #expect(try world.historyCount(0) == 55)
    }

    @Test("A report that was refused may come again under its id, corrected")
    func refusedID() throws {
        let world = try bound()
        world.sendReport(0, ["id": "r1", "data": ["level": -1]])
        world.sendReport(0, ["id": "r1", "data": ["level": 1]])
        try world.runStatus()
        let answers = world.broker.published(to: World.response(0))
        #expect(answers.map { $0["ok"] } == [false, true])
        #expect(answers[0].errorField == "data.level")
        #expect(try world.status(0)?.version == 1)
    }

    // MARK: Bad messages

    struct Bad: CustomTestStringConvertible, Sendable {
        var name: String
        var topic: String
        var payload: String
        var isAnswered = false
        var testDescription: String { name }
    }

    static let bad = [
        Bad(name: "no JSON", topic: World.report(0), payload: "hello"),
        Bad(name: "a list", topic: World.report(0), payload: "[1]"),
        Bad(
            name: "a name twice",
            topic: World.report(0),
            payload: #"{"data":{"level":1,"level":2}}"#
        ),
        Bad(name: "1e400", topic: World.report(0), payload: #"{"data":{"level":1e400}}"#),
        Bad(name: "2^53", topic: World.report(0), payload: #"{"data":{"level":9007199254740992}}"#),
        Bad(
            name: "depth 200",
            topic: World.report(0),
            payload: #"{"data":{"level":\#(String(repeating: "[", count: 200))}}"#
        ),
        Bad(
            name: "64 KiB and 1",
            topic: World.report(0),
            payload: #"{"id":"x","data":{"level":"\#(String(repeating: "x", count: 65_536))"}}"#,
            isAnswered: true
        ),
        Bad(
            name: "nothing in it",
            topic: World.report(0),
            payload: #"{"id":"x"}"#,
            isAnswered: true
        ),
        Bad(
            name: "a wrong type",
            topic: World.report(0),
            payload: #"{"id":"x","data":7}"#,
            isAnswered: true
        ),
        Bad(
            name: "an unknown attribute",
            topic: World.report(0),
            payload: #"{"id":"x","data":{"y":1}}"#,
            isAnswered: true
        ),
        Bad(
            name: "an unknown device",
            topic: "ll/v1/device/d-9/report",
            payload: #"{"id":"x","data":{"level":1}}"#
        ),
        Bad(
            name: "an unknown device's presence",
            topic: "ll/v1/system/presence/d-9",
            payload: #"{"online":true,"connection":1}"#
        ),
        Bad(
            name: "a bad presence",
            topic: "ll/v1/device/\(World.did(0).text)/presence",
            payload: "{}"
        ),
        Bad(
            name: "an empty level",
            topic: "ll/v1/device//report",
            payload: #"{"data":{"level":1}}"#
        ),
        Bad(
            name: "a bad info",
            topic: "ll/v1/device/\(World.did(0).text)/info",
            payload: #"{"id":"x","passcode":"1"}"#,
            isAnswered: true
        ),
    ]

    @Test(
        "A bad message is put aside among good ones and answered where it has an id",
        arguments: bad
    )
    func badMessage(_ row: Bad) throws {
        let world = try bound()
        world.sendReport(0, ["id": "a", "data": ["level": 1]])
        world.broker.send(row.topic, text: row.payload)
        world.sendReport(0, ["id": "b", "data": ["level": 2]])
        try world.runStatus()

        let letters = try world.read { try $0.deadLetters.page(limit: 10) }
        #expect(letters.count == 1)
        #expect(letters.first?.topic == row.topic)
        #expect(letters.first?.reason.isEmpty == false)
        let answers = world.broker.published(to: World.response(0))
        #expect(answers.filter { $0.isOK }.count == 2)
        #expect(answers.filter { !$0.isOK }.map { $0["id"] } == (row.isAnswered ? ["x"] : []))
        #expect(world.broker.published(ending: "/system/dead-letter").count == 1)
        #expect(world.broker.acknowledged == 3)
        #expect(try world.status(0)?.version == 2)
    }

    @Test("Of a bad registration only the shape is kept")
    func secretLetters() throws {
        let world = try World()
        let topic = "ll/v1/product/\(World.key.text)/0123456789ab/register"
        world.broker.send(topic, text: #"{"id":"x","mac":"ffffffffffff","passcode":"canary-77"}"#)
        try world.runStatus()
        let letter = try #require(try world.read { try $0.deadLetters.page(limit: 1) }.first)
        #expect(letter.isShapeOnly)
        #expect(!String(decoding: letter.payload, as: UTF8.self).contains("canary-77"))
        #expect(world.broker.published(ending: "/registered").first?.errorField == "mac")
    }

    // MARK: Retained statuses

    @Test("A broker that forgot gets every status back in order, and what isn't owed is cleared")
    func brokerForgot() throws {
        let world = try bound(devices: 20, online: true)
        for device in 0..<20 { world.sendReport(device, ["data": ["level": 7]]) }
        try world.runStatus()
        world.broker.forget()
        world.broker.forgetPublished()
        world.broker.retain(World.statusTopic(1, 0), Array("{}".utf8))
        try world.runStatus()

        #expect(world.broker.retained[World.statusTopic(1, 0)] == nil)
        for device in 0..<20 {
            #expect(world.broker.retained[World.statusTopic(0, device)] != nil)
            let last = world.broker.published(to: World.statusTopic(0, device)).last
            #expect(last?["version"] == 1 && last?["data"] == ["level": 7])
        }
        let order = world.broker.published.map(\.topic).filter {
            $0.hasSuffix("/status") && $0.contains("/user/u-0/")
        }
        #expect(Array(order.prefix(20)) == (0..<20).map { World.statusTopic(0, $0) })
    }

    @Test("After a roll call, devices that nobody announced are offline")
    func rollCall() throws {
        let world = try bound(devices: 6, online: true)
        world.environment.limits.refreshPage = 2
        world.broker.forget()
        var loop = try world.loop(StatusHandler(world.environment))
        // The gate hears the question and announces those who are there.
        for device in [1, 4] {
            world.broker.send(
                "ll/v1/system/presence/\(World.did(device).text)",
                ["online": true, "connection": 2, "ts": 1]
            )
        }
        try world.settle(&loop)

        #expect(world.broker.published.contains { $0.topic == Topics.gateControl })
        let online = try (0..<6).filter { try world.status($0)?.presence.isOnline == true }
        #expect(online == [1, 4])
        let offline = world.broker.published(to: World.statusTopic(0, 0)).last
        #expect(offline?["online"] == false)
        #expect(
            world.broker.published(ending: "\(World.did(0).text)/event").last?["type"] == "offline"
        )
    }

    @Test("A roll call broken off by a crash is begun again, though the session is there then")
    func rollCallAgain() throws {
        let world = try bound(devices: 3, online: true)
        world.broker.forget()
        do { _ = try world.loop(StatusHandler(world.environment)) }
        try world.runStatus()
        for device in 0..<3 { #expect(try world.status(device)?.presence.isOnline == false) }
    }

    @Test("Presence leaves the version alone and is told with its reason")
    func presence() throws {
        let world = try bound()
        world.sendReport(0, ["data": ["level": 1]])
        let topic = "ll/v1/system/presence/\(World.did(0).text)"
        world.broker.send(topic, ["online": true, "connection": 1, "ts": 1])
        world.broker.send(topic, ["online": false, "connection": 1, "reason": "kicked", "ts": 2])
        try world.runStatus()
        let told = world.broker.published(to: World.statusTopic(0, 0))
        #expect(told.map { $0["online"] } == [false, true, false])
        #expect(told.allSatisfy { $0["version"] == 1 })
        let events = world.broker.published(ending: "/event")
        #expect(events.map { $0["type"] } == ["online", "offline"])
        #expect(events.last?["reason"] == "kicked")
        #expect(try world.count("event") == 2)
    }

    @Test("Who has unsubscribed or is a stranger hears nothing")
    func strangers() throws {
        let world = try bound()
        try world.write { try $0.bindings.setSubscribed(World.did(0), World.uid(0), false) }
        world.sendReport(0, ["data": ["level": 1], "alerts": [["name": "hot"]], "binary": "QUJD"])
        try world.runStatus()
        #expect(!world.broker.published.contains { $0.topic.contains("/user/") })
        #expect(try world.historyCount(0) == 2)
    }

    // MARK: Registration

    private func register(_ world: World, id: String, secret: String? = nil) throws -> JSONObject? {
        world.broker.send(
            "ll/v1/product/\(World.key.text)/0123456789ab/register",
            [
                "id": .string(id), "mac": "0123456789ab", "passcode": "123456",
                "oldSecret": secret.map { .string($0) },
            ]
        )
        try world.runStatus()
        return world.broker.published(ending: "/registered").last
    }

    private func result(_ answer: JSONObject?) throws -> (did: String, secret: String) {
        let result = try #require(answer?["result"]?.objectValue)
        return (
            try #require(result["did"]?.stringValue), try #require(result["secret"]?.stringValue)
        )
    }

    @Test("A device registers, and again: its id stays and its secret changes")
    func registers() throws {
        let world = try World()
        let first = try result(register(world, id: "a"))
        let again = try result(register(world, id: "a"))
        let second = try result(register(world, id: "b"))
        #expect(first == again)
        #expect(first.did == second.did && first.secret != second.secret)
        #expect(try world.count("device") == 1)
        #expect(world.broker.published.contains { $0.topic == Topics.gateControl })
    }

    @Test("A bound device needs its old secret; its owner hears of the rest, and tries are limited")
    func boundDevice() throws {
        let world = try World()
        try world.makeUsers(1)
        let first = try result(register(world, id: "a"))
        let did = DeviceID(trusted: first.did)
        try world.write { (tx) throws in
            try tx.bindings.insert(
                Binding(
                    did: did,
                    uid: World.uid(0),
                    app: World.app,
                    role: .special,
                    boundAt: tx.now
                )
            )
        }
        for number in 0..<5 {
            #expect(
                try register(world, id: "w\(number)", secret: "wrong")?.errorCode == "Forbidden"
            )
        }
        #expect(world.broker.published(to: "ll/v1/user/u-0/device").count == 5)
        #expect(try register(world, id: "c", secret: first.secret)?.errorCode == "TooManyRequests")
        world.clock.advance(seconds: 901)
        let renewed = try result(register(world, id: "d", secret: first.secret))
        #expect(renewed.did == first.did && renewed.secret != first.secret)
    }

    @Test("An allowed reset ends the bonds, clears what was kept, and begins a new life")
    func reset() throws {
        let world = try World()
        try world.makeUsers(1)
        let first = try result(register(world, id: "a"))
        let did = DeviceID(trusted: first.did)
        try world.write { (tx) throws in
            try tx.bindings.insert(
                Binding(
                    did: did,
                    uid: World.uid(0),
                    app: World.app,
                    role: .special,
                    boundAt: tx.now
                )
            )
            try tx.devices.allowReset(did, until: tx.now.adding(seconds: 900))
        }
        world.broker.send("ll/v1/device/\(did.text)/report", ["data": ["level": 1]])
        try world.runStatus()
        let topic = "ll/v1/user/u-0/device/\(did.text)/status"
        #expect(world.broker.retained[topic] != nil)

        _ = try result(register(world, id: "b"))
        #expect(world.broker.retained[topic] == nil)
        #expect(try world.count("binding") == 0)
        #expect(world.broker.published(to: "ll/v1/user/u-0/device").last?["reason"] == "reset")
        #expect(try world.read { try $0.devices.find(did) }?.generation == 2)
    }
}
