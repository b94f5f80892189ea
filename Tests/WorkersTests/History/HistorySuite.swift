import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

/// The functions with which history suites make a device's records and query them.
protocol HistorySuite {}

extension HistorySuite {
    func world(limits: Limits = Limits()) throws -> World {
        let world = try World(devices: 1, online: true, users: 2, bound: 1, limits: limits)
        world.environment.pool = ReadingPool(world.store, limits)
        return world
    }

    func ask(_ world: World, _ method: String, _ params: JSONObject, user: Int = 0) throws -> JSONObject {
        var params = params
        params["did"] = .string(World.did(0).text)
        let id = "q\(world.broker.published.count)-\(method.count)"
        world.sendRequest(user, "device/\(method)", id: id, params)
        var loop = try world.loop(ControlHandler(world.environment))
        // Other threads read the pages of the history, and can be slow on a busy machine.
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            try loop.turn()
            let answer = world.answers(user).last
            if answer?["id"]?.stringValue == id, let answer { return answer }
        }
        throw World.Endless()
    }

    func rows(_ answer: JSONObject, _ name: String = "rows") -> [JSONObject] {
        (answer["result"]?.objectValue?[name]?.arrayValue ?? []).compactMap(\.objectValue)
    }

    func append(_ world: World, _ records: [(Int64, JSONObject)]) throws {
        try world.write { (tx) throws in
            try tx.history.append(
                records.map { second, data in
                    HistoryRecord(did: World.did(0), ts: tx.now.adding(seconds: second), data: data)
                }
            )
        }
    }

    func span(_ world: World, _ more: JSONObject = [:]) -> JSONObject {
        var params = more
        let now = world.clock.now.milliseconds
        if params["from"] == nil { params["from"] = .integer(now) }
        if params["to"] == nil { params["to"] = .integer(now + 1_000_000_000) }
        return params
    }
}
