import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("Commands for connecting devices")
struct CommandArrivalTests: CommandSuite {
    @Test("A device that doesn't announce that it is listening gets its commands a little later")
    func patience() throws {
        let world = try world()
        try queue(world, "a", ["level": 1])
        try come(world, listening: false)
        #expect(sent(world).isEmpty)
        world.clock.advance(seconds: 2)
        try world.runControl()
        #expect(sent(world).count == 1)
    }

    @Test("Commands that a device may have missed are sent again on its return, with their numbers")

    func again() throws {
        let world = try world(online: true)
        try queue(world, "a", ["pin": "canary-5", "level": 1])
        try queue(world, "b", ["level": 2], ["mode": "now", "ttl": 60])
        #expect(sent(world).map { $0["cid"] } == [1, 2])

        // On the same connection, the device can't have missed a command, so nothing is sent again.
        world.clock.advance(seconds: 1)
        try come(world, connection: 1, listening: false)
        #expect(sent(world).count == 2)

        world.clock.advance(seconds: 1)
        try come(world, connection: 2)
        #expect(sent(world).map { $0["cid"] } == [1, 2, 1, 2])
        #expect(sent(world).last(where: { $0["cid"] == 1 })?["data"]?.objectValue?["pin"] == "canary-5")

        world.sendReport(0, ["cid": 1])
        try world.runStatus()
        world.clock.advance(seconds: 60)
        try come(world, connection: 3)
        // By now, the device has answered one command, and the other command has expired.
        #expect(sent(world).count == 4)
    }

    @Test(
        "Commands issued between a device's connection and its listening are sent in order when it listens"
    )
    func between() throws {
        let world = try world()
        try queue(world, "a", ["power": true])
        try come(world, listening: false)
        world.clock.advance(milliseconds: 200)
        try queue(world, "b", ["level": 2], ["mode": "now", "ttl": 60])
        try queue(world, "c", ["level": 3])
        #expect(sent(world).isEmpty)
        try come(world)
        #expect(sent(world).map { $0["cid"] } == [2, 3])
        #expect(sent(world).last?["data"] == ["power": true, "level": 3])
        #expect(try world.count("dispatch") == 0)
        // No earlier command is waiting, so the next command is sent immediately.
        try queue(world, "d", ["level": 4], ["mode": "now", "ttl": 60])
        #expect(sent(world).map { $0["cid"] } == [2, 3, 4])
    }

    @Test("A callback that is due, or moved away by a clock set back, delays nothing") func calls() throws {
        for milliseconds in [2500, -3_600_000] as [Int64] {
            let world = try world()
            try queue(world, "a", ["power": true])
            try come(world, listening: false)
            world.clock.advance(milliseconds: milliseconds)
            // The worker receives the request before it looks for due dispatches.
            try queue(world, "b", ["level": 2], ["mode": "now", "ttl": 60])
            #expect(sent(world).map { $0["cid"] } == [1, 2])
            #expect(world.answers().last?["result"]?.objectValue?["state"] == "sent")
            #expect(try world.count("dispatch") == 0)
        }
    }

    @Test(
        "Commands issued before a device listens are sent when it does, and newer ones after them"
    )
    func unheard() throws {
        let world = try world()
        try come(world, listening: false)
        try queue(world, "a", ["level": 1], ["mode": "now", "ttl": 60])
        #expect(sent(world).isEmpty)
        world.clock.advance(milliseconds: 200)
        let topic = "ll/v1/system/presence/\(World.did(0).text)"
        world.broker.send(
            topic,
            ["online": true, "connection": 1, "listening": true, "ts": .integer(world.clock.now.milliseconds)]
        )
        try world.runStatus()
        try queue(world, "b", ["level": 2], ["mode": "now", "ttl": 60])
        try world.runControl()
        #expect(sent(world).map { $0["cid"] } == [1, 2])
    }

    @Test(
        "Nothing is sent on a connection that may not listen yet, and everything in order once it does"
    )
    func held() throws {
        let world = try world()
        try come(world, listening: false)
        for (id, level) in [("a", 1), ("b", 2), ("c", 3)] as [(String, JSONValue)] {
            try queue(world, id, ["level": level], ["mode": "now", "ttl": 60])
            world.clock.advance(milliseconds: 100)
        }
        #expect(sent(world).isEmpty)
        #expect(world.answers().allSatisfy { $0["result"]?.objectValue?["state"] == "sent" })
        try come(world)
        #expect(sent(world).map { $0["cid"] } == [1, 2, 3])
        try queue(world, "d", ["level": 4], ["mode": "now", "ttl": 60])
        #expect(sent(world).map { $0["cid"] } == [1, 2, 3, 4])
    }

    @Test("A command issued at the moment when the device begins to listen is sent with the others")

    func moment() throws {
        let world = try world()
        let topic = "ll/v1/system/presence/\(World.did(0).text)"
        let now = JSONValue.integer(world.clock.now.milliseconds)
        world.broker.send(topic, ["online": true, "connection": 1, "ts": now])
        try world.runStatus()
        try queue(world, "a", ["level": 1], ["mode": "now", "ttl": 60])
        world.broker.send(topic, ["online": true, "connection": 1, "listening": true, "ts": now])
        try world.runStatus()
        try queue(world, "b", ["level": 2], ["mode": "now", "ttl": 60])
        try world.runControl()
        #expect(sent(world).map { $0["cid"] } == [1, 2])
        #expect(try world.count("dispatch") == 0)
    }

    @Test("Commands for a replaced connection are sent on the new connection") func anew() throws {
        let world = try world()
        try queue(world, "a", ["power": true])
        let topic = "ll/v1/system/presence/\(World.did(0).text)"
        let now = JSONValue.integer(world.clock.now.milliseconds)
        world.broker.send(topic, ["online": true, "connection": 1, "listening": true, "ts": now])
        world.broker.send(topic, ["online": true, "connection": 2, "ts": now])
        try world.runStatus()
        try world.runControl()
        #expect(sent(world).isEmpty)
        world.clock.advance(seconds: 2)
        try world.runControl()
        #expect(sent(world).map { $0["cid"] } == [1])
    }

    @Test("While a device connects, no more commands are accepted than are finally sent")
    func full() throws {
        var limits = Limits()
        limits.queuedPerDevice = 3
        let world = try world(limits: limits)
        try come(world, listening: false)
        for number in 1...8 { try queue(world, "n\(number)", ["level": 1], ["mode": "now", "ttl": 60]) }
        try come(world)
        #expect(world.answers().count { $0["ok"] == true } == 6)
        #expect(sent(world).map { $0["cid"] } == [1, 2, 3, 4, 5, 6])
    }

    @Test(
        "A connection counts as listening after a while, even if a clock set back moved that time away"
    )
    func sure() throws {
        for milliseconds in [2000, -3_600_000] as [Int64] {
            let world = try world()
            try come(world, listening: false)
            try queue(world, "a", ["level": 1], ["mode": "now", "ttl": 60])
            world.clock.advance(milliseconds: milliseconds)
            try queue(world, "b", ["level": 2], ["mode": "now", "ttl": 60])
            try world.runControl()
            #expect(sent(world).map { $0["cid"] } == [1, 2])
        }
    }

    @Test("A command whose sender lost the right is not sent again")
    func againRights() throws {
        let world = try world(online: true)
        try queue(world, "a", ["level": 1], user: 1)
        try world.write { (tx) throws in try tx.bindings.delete(World.did(0), [World.uid(1)]) }
        world.clock.advance(seconds: 1)
        try come(world, connection: 2)
        #expect(sent(world).count == 1)
    }
}
