import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("Waiting commands, and queries to devices")
struct CommandTests: CommandSuite {
    @Test("Queued commands are sent as one when the device returns, and its answer ends all")
    func merged() throws {
        let world = try world()
        try queue(world, "a", ["level": 1, "power": true], ["sn": 7])
        try queue(world, "b", ["level": 2], user: 1, ["sn": 8, "wait": true])
        try queue(world, "c", ["pin": "canary-1"], ["sn": 9])
        #expect(sent(world).isEmpty && outcomes(world).isEmpty)
        #expect(world.answers().map { $0["result"]?.objectValue?["state"] } == ["queued", "queued"])

        world.clock.advance(seconds: 100)
        try come(world)
        #expect(sent(world).count == 1)
        let command = try #require(sent(world).first)
        #expect(command["cid"] == 3 && command["sn"] == 9)
        #expect(command["data"] == ["level": 2, "power": true, "pin": "canary-1"])
        #expect(outcomes(world).map { $0["state"] } == ["superseded"])
        #expect(outcomes(world, 1).map { $0["state"] } == ["superseded"])
        #expect(world.answers(1).last?["result"]?.objectValue?["state"] == "superseded")

        world.sendReport(0, ["cid": 3, "data": ["level": 2]])
        try world.runStatus()
        #expect(outcomes(world).last?["state"] == "done" && outcomes(world).last?["cid"] == 3)
        try come(world, connection: 2)
        #expect(sent(world).count == 1)
    }

    @Test("A command to a connected device is sent at once in any mode")
    func atOnce() throws {
        let world = try world(online: true)
        try queue(world, "a", ["level": 1])
        #expect(sent(world).count == 1)
        #expect(world.answers().last?["result"]?.objectValue?["state"] == "sent")
    }

    @Test("Queued values are sealed, and deleted from the store once answered")
    func sealed() throws {
        let world = try world()
        try queue(world, "a", ["pin": "canary-4711"])
        func secrets() throws -> [[UInt8]?] {
            try world.read { tx in
                try tx.sql.query("SELECT secret, data FROM command") {
                    let secret = $0.next([UInt8]?.self)
                    #expect(!$0.next(String.self).contains("canary-4711"))
                    return secret
                }
            }
        }
        let waiting = try #require(try secrets().first ?? nil)
        #expect(!String(decoding: waiting, as: UTF8.self).contains("canary-4711"))
        try come(world)
        #expect(sent(world).first?["data"] == ["pin": "canary-4711"])
        world.sendReport(0, ["cid": 1])
        try world.runStatus()
        #expect(try secrets() == [nil])
    }

    @Test("Rights are checked again when the command is sent")
    func rights() throws {
        let world = try world()
        try queue(world, "a", ["level": 1, "power": true], user: 1)
        try queue(world, "b", ["level": 2])
        try world.write { (tx) throws in try tx.bindings.delete(World.did(0), [World.uid(1)]) }
        try come(world)
        #expect(sent(world).map { $0["data"] } == [["level": 2]])
        #expect(outcomes(world, 1).map { $0["state"] } == ["failed"])
        #expect(outcomes(world, 1).map { $0["code"] } == ["NotBound"])
    }

    @Test("A guest's waiting commands are not sent after the guest's access has expired, even before the sweep")
    func guests() throws {
        let world = try world()
        try queue(world, "a", ["level": 1], user: 1)
        world.clock.advance(seconds: 60)
        let end = world.clock.now.milliseconds
        try world.write { (tx) throws in try tx.sql.run("UPDATE binding SET guestUntil = \(end) WHERE uid = 'u-1'") }
        try come(world)
        #expect(sent(world).isEmpty)
        #expect(outcomes(world, 1).map { $0["code"] } == ["NotBound"])
    }

    @Test("A command that is queued too long expires, and is not sent")
    func expiry() throws {
        let world = try world()
        try queue(world, "a", ["level": 1], ["ttl": 10])
        try queue(world, "b", ["power": true])
        world.clock.advance(seconds: 10)
        try world.runControl()
        #expect(outcomes(world).map { $0["state"] } == ["expired"])
        try come(world)
        #expect(sent(world).map { $0["data"] } == [["power": true]])
    }

    @Test("The number of commands waiting for a device is limited")
    func bound() throws {
        var limits = Limits()
        limits.queuedPerDevice = 2
        let world = try world(limits: limits)
        for id in ["a", "b"] { try queue(world, id, ["level": 1]) }
        try queue(world, "c", ["level": 1], user: 1)
        #expect(world.answers().map(\.errorCode) == [nil, nil])
        #expect(world.answers(1).map(\.errorCode) == [nil])
        #expect(outcomes(world).map { $0["state"] } == ["superseded"])
        for id in ["d", "e"] { try queue(world, id, ["power": true]) }
        #expect(world.answers().map(\.errorCode) == [nil, nil, "TooManyRequests", "TooManyRequests"])
        try come(world)
        #expect(sent(world).map { $0["cid"] } == [3])
        #expect(sent(world).map { $0["data"] } == [["level": 1]])
    }

    @Test("A user who sets one value repeatedly while the device is away is not refused") func slider() throws {
        var limits = Limits()
        limits.queuedPerDevice = 3
        let world = try world(limits: limits)
        try queue(world, "power", ["power": true])
        for level in 1...20 as ClosedRange<Int64> { try queue(world, "l\(level)", ["level": .integer(level)]) }
        #expect(world.answers().allSatisfy { $0["ok"] == true })
        try come(world)
        #expect(sent(world).map { $0["cid"] } == [21])
        #expect(sent(world).map { $0["data"] } == [["power": true, "level": 20]])
        #expect(outcomes(world).compactMap { $0["cid"]?.intValue }.sorted() == Array(1...20))
        #expect(outcomes(world).allSatisfy { $0["state"] == "superseded" })
    }

    @Test("The control worker sends another worker's command before any later one") func otherWorker() throws {
        let world = try world(online: true)
        let (command, effects) = try world.takeScheduled(level: 4)
        #expect(command.state == .queued && command.cid == 1 && effects.woken.contains { $0.worker == .control })
        try queue(world, "a", ["level": 5], ["mode": "now"])
        #expect(sent(world).map { $0["cid"] } == [1, 2])
        #expect(sent(world).first?["actor"]?.objectValue?["kind"] == "schedule")
    }

    @Test("All subscribed users see who caused a status, and only that user sees the terminal") func actor() throws {
        let world = try world(online: true)
        try queue(world, "a", ["level": 5], ["mode": "now"])
        world.sendReport(0, ["cid": 1, "data": ["level": 5]])
        try world.runStatus()
        let mine = world.broker.published(to: World.statusTopic(0, 0)).last?["actor"]?.objectValue
        let other = world.broker.published(to: World.statusTopic(1, 0)).last?["actor"]?.objectValue
        #expect(mine?["id"]?.stringValue == World.uid(0).text && mine?["terminalId"] != nil)
        #expect(other?["id"]?.stringValue == World.uid(0).text && other?["terminalId"] == nil)
    }

    @Test("A query is answered with the status once the device answers, or with a timeout") func query() throws {
        let world = try world(online: true)
        let params: JSONObject = ["did": .string(World.did(0).text), "timeout": 5]
        world.sendRequest(0, "device/query", id: "q1", params)
        try world.runControl()
        #expect(sent(world).first?["type"] == "query" && sent(world).first?["data"] == [:])
        #expect(world.answers().isEmpty)
        world.sendReport(0, ["cid": 1, "data": ["level": 9]])
        try world.runStatus()
        #expect(world.answers().first?["result"]?.objectValue?["data"] == ["level": 9])

        world.sendRequest(0, "device/query", id: "q2", params)
        try world.runControl()
        world.clock.advance(seconds: 5)
        try world.runControl()
        #expect(world.answers().last?.errorCode == "DeviceTimeout")
        try world.setOnline(0, false)
        world.sendRequest(0, "device/query", id: "q3", params)
        try world.runControl()
        #expect(world.answers().last?.errorCode == "DeviceOffline")
        #expect(outcomes(world).isEmpty)
    }

    @Test("A command that has expired when the broker returns is not sent") func overInTheOutbox() throws {
        let world = try world(online: true)
        world.broker.failure = .publish(after: 1)
        world.sendRequest(
            0,
            "device/control",
            id: "a",
            ["did": .string(World.did(0).text), "data": ["level": 1], "ttl": 5]
        )
        var loop = try world.loop(ControlHandler(world.environment))
        #expect(throws: (any Error).self) { () throws in
            for _ in 0..<10 { try loop.turn() }
        }
        world.broker.failure = nil
        world.clock.advance(seconds: 6)
        try world.runControl()
        #expect(sent(world).isEmpty)
        #expect(outcomes(world).map { $0["state"] } == ["expired"])
        #expect(try world.count("outbox") == 0)
    }
}
