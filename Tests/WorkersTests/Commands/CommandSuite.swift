import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

/// The common functions of the test suites about commands, with a device and two users.
protocol CommandSuite {}

extension CommandSuite {
    func world(online: Bool = false, limits: Limits = Limits()) throws -> World {
        try World(devices: 1, online: online, users: 2, bound: 2, limits: limits)
    }

    func queue(_ world: World, _ id: String, _ data: JSONObject, user: Int = 0, _ more: JSONObject = [:]) throws {
        var params = more
        params["did"] = .string(World.did(0).text)
        params["data"] = .object(data)
        if params["mode"] == nil { params["mode"] = "queue" }
        world.sendRequest(user, "device/control", id: id, params)
        try world.runControl()
    }

    func come(_ world: World, connection: Int64 = 1, listening: Bool = true) throws {
        let topic = "ll/v1/system/presence/\(World.did(0).text)"
        let now = JSONValue.integer(world.clock.now.milliseconds)
        world.broker.send(topic, ["online": true, "connection": .integer(connection), "ts": now])
        if listening {
            world.broker.send(
                topic,
                ["online": true, "connection": .integer(connection), "listening": true, "ts": now]
            )
        }
        try world.runStatus()
        try world.runControl()
    }

    func sent(_ world: World) -> [JSONObject] {
        world.broker.published(to: World.command(0))
    }

    func outcomes(_ world: World, _ user: Int = 0) -> [JSONObject] {
        world.broker.published(ending: "\(World.terminal(user).text)/command")
    }
}
