import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("The status worker")
struct StatusTests {
    @Test("The same id takes effect once and gets the same answer, within a batch and across batches")
    func sameID() throws {
        let world = try World(devices: 1, users: 2, bound: 1)
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

    @Test(
        "Reports from before the ownership period are stored, and published to no user",
        arguments: [-1, 1]
    )
    func oldOwnership(_ seconds: Int64) throws {
        let world = try World(devices: 1, users: 2, bound: 1)
        let begin = world.clock.now
        try world.write { try $0.products.save(World.freeForm, secret: nil) }
        try world.write { try $0.devices.beginOwnership(World.did(0)) }
        world.clock.advance(seconds: 3600)
        let ts = JSONValue.integer(begin.adding(seconds: seconds).milliseconds)
        world.sendReport(0, ["ts": ts, "alerts": [["name": "hot"]], "binary": "QUJD"])
        try world.runStatus()
        let told = seconds > 0 ? [ts] : []
        #expect(world.broker.published(ending: "/event").map { $0["ts"] } == told)
        #expect(world.broker.published(ending: "/binary").map { $0["ts"] } == told)
        #expect(try world.historyCount(0) == 1)
        #expect(try world.count("event") == 1)
    }

    @Test("Two devices can use the same id")
    func idsPerDevice() throws {
        let world = try World(devices: 2, users: 2, bound: 1)
        for device in 0..<2 { world.sendReport(device, ["id": "r1", "data": ["level": 1]]) }
        try world.runStatus()
        #expect(try world.historyCount(0) == 1)
        #expect(try world.historyCount(1) == 1)
    }

    @Test("Without an id the same time and content count once; without either, each delivery counts")

    func withoutID() throws {
        let world = try World(devices: 1, users: 2, bound: 1)
        let ts = JSONValue.integer(world.clock.now.milliseconds - 5)
        for _ in 0..<2 { world.sendReport(0, ["ts": ts, "data": ["level": 1]]) }
        try world.runStatus()
        #expect(try world.historyCount(0) == 1)
        world.sendReport(0, ["ts": ts, "data": ["level": 2]])
        for _ in 0..<2 { world.sendReport(0, ["data": ["level": 3]]) }
        try world.runStatus()
        #expect(try world.historyCount(0) == 4)
    }

    @Test("A repetition without an id is recognized by its time, whether it is the newest, late, or one of many")
    func repeatsByTime() throws {
        let world = try World(devices: 1, users: 2, bound: 1)
        let now = world.clock.now.milliseconds
        func send(_ ago: Int64, _ level: Int64) {
            world.sendReport(0, ["ts": .integer(now - ago), "data": ["level": .integer(level)]])
        }
        // Two reports have the same timestamp. The third report is newer, and the fourth is older than the others. The
        // test repeats all four reports, first in the same batch and then in another batch.
        func sendAll() {
            for (ago, level) in [(50, 1), (50, 2), (10, 3), (70, 4)] as [(Int64, Int64)] { send(ago, level) }
        }
        sendAll()
        sendAll()
        try world.runStatus()
        #expect(try world.historyCount(0) == 4)
        sendAll()
        try world.runStatus()
        #expect(try world.historyCount(0) == 4)
        // The test sends many reports with the same timestamp, more than a status can remember.
        for _ in 0..<2 {
            for level in 0..<50 { send(5, Int64(level)) }
            try world.runStatus()
        }
        #expect(try world.historyCount(0) == 54)
        // A refused report is not remembered.
        world.sendReport(0, ["ts": .integer(now - 1), "data": ["nothing": 1]])
        send(1, 7)
        try world.runStatus()
        #expect(try world.historyCount(0) == 55)
    }

    @Test("A report without an id counts once, even beside a report with an id and the same time")
    func repeatsBesideID() throws {
        let world = try World(devices: 1, users: 2, bound: 1)
        let ts = JSONValue.integer(world.clock.now.milliseconds - 5)
        for id in ["r1", "r2"] {
            world.sendReport(0, ["id": .string(id), "ts": ts, "data": ["level": 1]])
            try world.runStatus()
            for level in [1, 2, 2] as [JSONValue] { world.sendReport(0, ["ts": ts, "data": ["level": level]]) }
            try world.runStatus()
        }
        // The history contains the reports `r1` and `r2`, and one report with the level 2.
        #expect(try world.historyCount(0) == 3)
    }

    @Test("A refused report can be sent again with its id, corrected")
    func refusedID() throws {
        let world = try World(devices: 1, users: 2, bound: 1)
        world.sendReport(0, ["id": "r1", "data": ["level": -1]])
        world.sendReport(0, ["id": "r1", "data": ["level": 1]])
        try world.runStatus()
        let answers = world.broker.published(to: World.response(0))
        #expect(answers.map { $0["ok"] } == [false, true])
        #expect(answers[0].errorField == "data.level")
        #expect(try world.status(0)?.version == 1)
    }

    @Test("Presence doesn't change the version, and is published with its reason")
    func presence() throws {
        let world = try World(devices: 1, users: 2, bound: 1)
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

    @Test("Unsubscribed users and strangers receive nothing")
    func strangers() throws {
        let world = try World(devices: 1, users: 2, bound: 1)
        try world.write { try $0.bindings.setSubscribed(World.did(0), World.uid(0), to: false) }
        try world.write { try $0.products.save(World.freeForm, secret: nil) }
        world.sendReport(0, ["data": ["level": 1], "alerts": [["name": "hot"]], "binary": "QUJD"])
        try world.runStatus()
        #expect(!world.broker.published.contains { $0.topic.contains("/user/") })
        #expect(try world.historyCount(0) == 2)
    }

}
