import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("Outcomes of commands whose sender has lost access")
struct OutcomeTests {
    /// A way to lose access to a device, and the error code that a pending query then gets.
    struct Way: CustomTestStringConvertible, Sendable {
        var name: String
        var user: Int
        var method: String
        var params: JSONObject = [:]
        var code: String
        var testDescription: String { name }
    }

    static let ways = [
        Way(name: "the sender leaves", user: 1, method: "device/unbind", code: "NotBound"),
        Way(
            name: "the owner removes the sender",
            user: 0,
            method: "device/removeUser",
            params: ["uid": .string(World.uid(1).text)],
            code: "NotBound"
        ),
        Way(
            name: "the sender unsubscribes",
            user: 1,
            method: "device/subscribe",
            params: ["subscribed": false],
            code: "NotSubscribed"
        ),
    ]

    /// Returns a `World` with a device, its owner (user 0) and its guest (user 1).
    private func world() throws -> World {
        let world = try World(devices: 1, online: true, users: 2)
        try world.bind(0, 0, .owner)
        try world.bind(0, 1, .guest)
        return world
    }

    /// Sends a request about the device, and returns the answer if the service has already answered.
    @discardableResult
    private func ask(
        _ world: World,
        _ user: Int,
        _ id: String,
        _ method: String,
        _ more: JSONObject = [:]
    ) throws -> JSONObject? {
        var params = more
        params["did"] = .string(World.did(0).text)
        world.sendRequest(user, method, id: id, params)
        try world.runControl()
        return answer(world, user, id)
    }

    private func answer(_ world: World, _ user: Int, _ id: String) -> JSONObject? {
        world.answers(user).last { $0["id"] == .string(id) }
    }

    @Test("A pending query is refused", arguments: ways)
    func query(way: Way) throws {
        let world = try world()
        try ask(world, 1, "asked", "device/query", ["timeout": 60])
        let out = try ask(world, way.user, "out", way.method, way.params)
        #expect(out?.isOK == true)

        world.sendReport(0, ["cid": 1, "data": ["level": 33]])
        try world.runStatus()

        let told = answer(world, 1, "asked")
        #expect(told?.errorCode == way.code)
        #expect(told?["result"] == nil)
    }

    @Test("The sender gets the outcome of the command, but not the reported values", arguments: ways) func write(
        way: Way
    ) throws {
        let world = try world()
        try ask(world, 1, "asked", "device/control", ["data": ["level": 5], "wait": true])
        let out = try ask(world, way.user, "out", way.method, way.params)
        #expect(out?.isOK == true)

        world.sendReport(0, ["cid": 1, "code": 0, "data": ["level": 5, "power": true]])
        try world.runStatus()

        let result = answer(world, 1, "asked")?["result"]?.objectValue
        let outcome = world.broker.published(ending: "\(World.terminal(1).text)/command").last
        for told in [result, outcome] {
            #expect(told?["state"] == "done" && told?["code"] == 0)
            #expect(told?["data"] == nil)
        }
        let kept = try world.read { try $0.commands.find(World.did(0), 1) }
        #expect(kept?.result == ["level": 5, "power": true])
    }

    @Test("A guest whose access has expired counts as a former user, even before the sweep")
    func unswept() throws {
        let world = try world()
        try ask(world, 1, "asked", "device/query", ["timeout": 60])
        let end = world.clock.now.adding(seconds: 10).milliseconds
        try world.write { (tx) throws in try tx.sql.run("UPDATE binding SET guestUntil = \(end) WHERE uid = 'u-1'") }
        world.clock.advance(seconds: 10)

        world.sendReport(0, ["cid": 1, "data": ["level": 33]])
        try world.runStatus()

        #expect(answer(world, 1, "asked")?.errorCode == "NotBound")
    }

    @Test("A former user's commands do not name the user to the present users")
    func actor() throws {
        let world = try World(devices: 1, online: true, users: 2, bound: 1)
        try ask(world, 0, "asked", "device/control", ["data": ["level": 5]])
        try ask(world, 0, "out", "device/unbind")
        try world.bind(0, 1)

        world.sendReport(0, ["cid": 1, "data": ["level": 5]])
        try world.runStatus()

        let status = world.broker.published(to: World.statusTopic(1, 0)).last
        #expect(status?["data"] == ["level": 5])
        #expect(status?["changed"] == ["level"])
        #expect(status?["actor"] == nil)
    }

    @Test("A schedule's command names the schedule, even after the device has changed hands")
    func schedule() throws {
        let world = try world()
        _ = try world.takeScheduled(level: 4)
        try world.runControl()

        world.sendReport(0, ["cid": 1, "data": ["level": 4]])
        try world.runStatus()

        let status = world.broker.published(to: World.statusTopic(1, 0)).last
        #expect(status?["actor"]?.objectValue?["kind"] == "schedule")
    }

    @Test("Outcomes are published in order of the answers, before the statuses of the batch") func order() throws {
        let world = try World(devices: 1, online: true, users: 1, bound: 1)
        try ask(world, 0, "first", "device/control", ["data": ["level": 1]])
        try ask(world, 0, "second", "device/control", ["data": ["level": 2]])
        world.broker.forgetPublished()

        world.sendReport(0, ["cid": 1, "data": ["level": 1]])
        // The worker begins a new batch with the registration.
        world.broker.send("ll/v1/product/\(World.key.text)/0123456789ab/register", ["id": "r", "nonce": "n"])
        world.sendReport(0, ["cid": 2, "data": ["level": 2]])
        try world.runStatus()

        let space = "ll/v1/app/demo/\(World.terminal(0).text)/command"
        let topics = world.broker.published.map(\.topic).filter { !$0.contains("/system/") }
        #expect(topics.prefix(2) == [space, space])
        #expect(topics.contains(World.statusTopic(0, 0)))
        #expect(world.broker.published(to: space).map { $0["cid"] } == [1, 2])
    }
}
