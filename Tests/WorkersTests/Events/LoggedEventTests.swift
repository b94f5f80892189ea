import Domain
import JSON
import Storage
import Testing

@testable import Workers

@Suite("Contents of the event log")
struct LoggedEventTests {
    private let world: EventWorld

    init() throws {
        world = try EventWorld()
        try world.world.bind(0, 0)
    }

    private func report(_ device: Int = 0, _ payload: JSONObject) throws {
        world.world.sendReport(device, payload)
        try world.world.runStatus()
    }

    @Test("Alerts and their ends are logged in the order in which they took effect, with the content that users get")
    func alerts() throws {
        try report(0, ["alerts": [["name": "hot"]]])
        try report(0, ["alerts": [["name": "hot", "value": false]]])
        let events = try world.events()
        #expect(events.map { $0["type"] } == ["device.alert", "device.alertCleared"])
        #expect(events.first?["data"]?.objectValue?["name"] == "hot")
    }

    @Test("Statuses are logged only while a reader wants them, one for each device in a transaction")
    func statuses() throws {
        try report(0, ["data": ["level": 1]])
        let id = try world.result("subscribe", ["name": "s", "types": ["device.*"]])["subscriptionId"] ?? .null
        world.world.sendReport(0, ["data": ["level": 2]])
        world.world.sendReport(0, ["data": ["power": true]])
        try report(1, ["data": ["level": 9]])
        let events = try world.events(["subscriptionId": id])
        try #require(events.map { $0["type"] } == ["device.status", "device.status"])
        let data = events[0]["data"]?.objectValue
        #expect(data?["data"] == ["level": 2, "power": true] && data?["changed"] == ["level", "power"])
        #expect(data?["version"] == 3)
        try report(0, ["data": ["level": 2]])
        #expect(try world.events(["subscriptionId": id]).count == 2)
        #expect(try world.ask("unsubscribe", ["subscriptionId": id]).isOK)
        try report(0, ["data": ["level": 3]])
        #expect(try world.events(["after": "start", "types": ["device.status"]]).count == 2)
    }

    @Test("A reader that names statuses gets those written from then on")
    func openReader() throws {
        let cursor = try world.result("read", ["types": ["device.status"]])["cursor"] ?? .null
        try report(0, ["data": ["level": 2]])
        #expect(try world.types(["after": cursor, "types": ["device.status"]]) == ["device.status"])
    }

    @Test("A reset increases a status's version, which readers of statuses see")
    func reset() throws {
        _ = try world.result("read", ["types": ["device.status"]])
        try report(0, ["data": ["level": 2]])
        try world.world.environment.work(publishedBy: .session) { work in
            try work.tx.lock(devices: [World.did(0)])
            try work.wipeStatus(of: World.did(0))
        }
        let events = try world.events(["after": "start", "types": ["device.status"]])
        try #require(events.count == 2)
        let versions = events.compactMap { $0["data"]?.objectValue?["version"]?.intValue }
        #expect(versions.count == 2 && versions[1] == versions[0] + 1)
        #expect(events[1]["data"]?.objectValue?["data"] == [:])
    }

    @Test("Beginnings and ends of sessions and changes of accounts are logged")
    func accounts() throws {
        let world = world.world
        _ = try world.environment.work(publishedBy: .session) { work in
            try work.tx.lock(users: [World.uid(0)])
            let user = try #require(try work.tx.accounts.find(World.uid(0)))
            try work.save(user, by: .system)
            let session = try #require(try work.tx.sessions.live(on: World.terminal(0)))
            try SessionLifecycle.end(session, because: .operator, by: .system, in: &work)
            try Cancellation.begin(user, by: .system, in: &work)
        }
        let events = try self.world.events()
        try #require(events.map { $0["type"] } == ["account.changed", "session.ended", "account.deleted"])
        #expect(events.allSatisfy { $0["uid"]?.stringValue == World.uid(0).text })
        #expect(events.allSatisfy { $0["actor"]?.objectValue?["id"] == "lamplighter" })
        #expect(events[1]["data"]?.objectValue?["reason"] == "operator")
    }

    @Test("Entries beyond the age or size limit are deleted, and statuses never displace other entries")
    func retention() throws {
        var limits = world.world.environment.limits
        limits.eventBytes = 700
        world.world.environment.limits = limits
        for _ in 0..<8 { try world.log(world.event(.deviceStatus)) }
        try world.log(world.event())
        try world.world.run(EventRetention(world.world.environment))
        let statuses = try world.types(["after": "start", "types": ["device.status"]]).count
        #expect(statuses < 8 && statuses > 0)
        #expect(try world.types() == ["device.alert"])
        world.world.clock.advance(seconds: limits.eventDays * 86_400 + 1)
        try world.world.run(EventRetention(world.world.environment))
        #expect(try world.types().isEmpty)
    }
}
