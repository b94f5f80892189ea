import Domain
import JSON
import Storage
import Testing

@testable import Workers

@Suite("The daily limit of a device's history")
struct HistoryUseTests {
    private func world() throws -> World {
        var limits = Limits()
        limits.historyBytesPerDay = 2000
        let world = try World(devices: 2, users: 1, bound: 1, limits: limits)
        try world.write { try $0.products.save(World.freeForm, secret: nil) }
        return world
    }

    private func send(_ world: World, _ number: Int64, device: Int = 0) throws {
        let text = JSONValue.string(String(repeating: "x", count: 500))
        world.sendReport(device, ["id": .string("r\(number)"), "data": ["n": .integer(number), "text": text]])
        try world.runStatus()
    }

    private func limited(_ world: World) -> [JSONObject] {
        world.broker.published(ending: "/event").filter { $0["type"] == "historyLimited" }
    }

    @Test("Beyond the limit only the state is stored, with at most one notice an hour")
    func bound() throws {
        let world = try world()
        for number in Int64(1)...9 { try send(world, number) }
        try send(world, 1, device: 1)

        #expect(try world.historyCount(0) == 3)
        #expect(try world.historyCount(1) == 1)
        #expect(try world.status(0)?.version == 9)
        let told = limited(world)
        #expect(told.count == 1)
        #expect(told.first?["actor"]?.objectValue?["kind"] == "system")
        #expect(try world.count("event") == 1)
        let answers = world.broker.published(to: World.response(0))
        #expect(answers.allSatisfy { $0.isOK && $0["stored"] == "state" })

        world.clock.advance(seconds: 3600)
        try send(world, 10)
        try send(world, 11)
        #expect(limited(world).count == 2)
        #expect(try world.historyCount(0) == 3)

        world.clock.advance(seconds: 86_400)
        try send(world, 12)
        #expect(try world.historyCount(0) == 4)
        #expect(limited(world).count == 2)
    }

    @Test("A report for a full history is answered as accepted, but not as stored")
    func older() throws {
        let world = try world()
        for number in Int64(1)...4 { try send(world, number) }
        let ts = JSONValue.integer(world.clock.now.milliseconds - 60_000)
        world.sendReport(0, ["id": "old", "ts": ts, "data": ["n": 0, "text": "long ago"]])
        world.sendReport(0, ["id": "bytes", "binary": .string(String(repeating: "QUJD", count: 200))])
        let text = JSONValue.string(String(repeating: "x", count: 500))
        let unchanged: JSONValue = [["name": "hot", "value": false]]
        world.sendReport(0, ["id": "alert", "alerts": unchanged])
        world.sendReport(0, ["id": "both", "ts": ts, "data": ["text": text], "alerts": unchanged])
        try world.runStatus()

        let answers = world.broker.published(to: World.response(0)).suffix(4)
        #expect(answers.map { $0["id"] } == ["old", "bytes", "alert", "both"])
        #expect(answers.map { $0["stored"] } == ["history", nil, "state", nil], "only a small one still fits")
        #expect(answers.allSatisfy { $0.isOK })
        #expect(world.broker.published(ending: "/binary").count == 1, "users are told all the same")
    }

    @Test("An alert that comes and goes all day does not fill the event log either") func alarms() throws {
        let world = try world()
        for number in 0..<40 { world.sendReport(0, ["alerts": [["name": "hot", "value": .bool(number % 2 == 0)]]]) }
        try world.runStatus()

        #expect(world.broker.published(ending: "/event").count == 40)
        #expect(try world.count("event") == 15)
    }
}
