import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("Commands from apps to devices")
struct ControlTests {
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
                "did": .string(World.did(0).text), "data": .object(data), "ttl": .integer(ttl), "wait": .bool(wait),
                "sn": 9,
            ]
        )
    }

    private func bound() throws -> World {
        try World(devices: 1, online: true, users: 2, bound: 1)
    }

    @Test("A command is sent and executed, and its sender gets the outcome")
    func command() throws {
        let world = try bound()
        control(world, id: "c")
        try world.runControl()
        let sent = try #require(world.broker.published(to: World.command(0)).first)
        #expect(sent["cid"] == 1 && sent["sn"] == 9 && sent["data"] == ["level": 5])
        #expect(world.answers().first?["result"]?.objectValue?["state"] == "sent")
        let expiresAt = world.broker.published.first { $0.topic == World.command(0) }?.expiresAt
        #expect(expiresAt == world.clock.now.adding(seconds: 30))

        world.sendReport(0, ["cid": 1, "code": 0, "data": ["level": 5]])
        try world.runStatus()
        let outcome = world.broker.published(ending: "\(World.terminal(0).text)/command").last
        #expect(outcome?["state"] == "done" && outcome?["data"] == ["level": 5])
    }

    @Test("A waiting caller gets the final state, and repeated requests wait too")
    func waiting() throws {
        let world = try bound()
        control(world, id: "c", wait: true)
        control(world, id: "c", wait: true)
        try world.runControl()
        #expect(world.answers().isEmpty)
        #expect(world.broker.published(to: World.command(0)).count == 1)

        world.sendReport(0, ["cid": 1, "code": 7])
        try world.runStatus()
        #expect(world.answers().count == 2)
        #expect(world.answers().allSatisfy { $0["result"]?.objectValue?["state"] == "failed" })
        control(world, id: "c", wait: true)
        try world.runControl()
        #expect(world.answers().count == 3 && world.answers()[2] == world.answers()[0])
    }

    @Test(
        "A command without an answer expires; waiting callers are told, and a late answer changes nothing"
    )
    func expiry() throws {
        let world = try bound()
        control(world, id: "c", wait: true, ttl: 10)
        try world.runControl()
        world.clock.advance(seconds: 10)
        try world.runControl()
        #expect(world.answers().first?["result"]?.objectValue?["state"] == "expired")
        #expect(world.broker.published(ending: "/command").last?["state"] == "expired")

        world.sendReport(0, ["cid": 1, "code": 0])
        try world.runStatus()
        let command = try #require(try world.read { try $0.commands.newest(World.did(0), limit: 1) }.first)
        #expect(command.state == .expired && command.isLate)
        #expect(world.answers().count == 1)
    }

    @Test("An answer between the deadline and the sweep ends the wait, too") func lateAnswerFirst() throws {
        let world = try bound()
        control(world, id: "c", wait: true, ttl: 10)
        try world.runControl()
        world.clock.advance(seconds: 10)
        world.sendReport(0, ["cid": 1, "code": 0])
        try world.runStatus()
        try world.runControl()
        #expect(world.answers().map { $0["result"]?.objectValue?["state"] } == ["expired"])
        #expect(world.broker.published(ending: "/command").last?["state"] == "expired")
        #expect(try world.count("waiter") == 0)
    }

    @Test("Commands to an absent device, by a stranger, or with invalid data are refused") func refusals() throws {
        let world = try bound()
        control(world, id: "a", ["temperature": 1])
        control(world, id: "b", ["level": -1])
        control(world, id: "c", [:])
        try world.setOnline(0, false)
        control(world, id: "d")
        world.sendRequest(1, "device/control", id: "e", ["did": .string(World.did(0).text), "data": ["level": 1]])
        try world.runControl()
        #expect(
            world.answers().map(\.errorCode) == ["InvalidRequest", "InvalidRequest", "InvalidRequest", "DeviceOffline"]
        )
        #expect(world.answers(1).map(\.errorCode) == ["NotBound"])
        #expect(world.broker.published(to: World.command(0)).isEmpty)
    }

    @Test("A write-only value reaches the device, and is not stored in clear")
    func writeOnly() throws {
        let world = try bound()
        control(world, id: "c", ["pin": "canary-4711"])
        world.broker.confirms = false
        var loop = try world.loop(ControlHandler(world.environment))
        for _ in 0..<3 { try loop.turn() }
        #expect(world.broker.published(to: World.command(0)).first?["data"] == ["pin": "canary-4711"])
        #expect(try world.count("outbox") == 1)
        let command = try world.read { try $0.commands.newest(World.did(0), limit: 1) }.first
        #expect(command?.data == ["pin": "***"])
        let rows = try world.read { tx in
            try tx.sql.query("SELECT messages FROM outbox") { String(decoding: $0.next([UInt8].self), as: UTF8.self) }
        }
        #expect(rows.allSatisfy { !$0.contains("canary-4711") })
    }
}
