import Domain
import JSON
import Storage

@testable import Workers

/// Races that concern commands, reports and the occurrences of schedules.
extension Race {
    static let commands: [Race] = [
        Race("Two concurrent commands have ascending numbers") {
            Contest(try World(devices: 1, online: true, users: 2, bound: 2), [control(0, 1), control(1, 2)])
        },
        Race("Of two concurrent queued commands one fits the limit") {
            var limits = Limits()
            limits.queuedPerDevice = 1
            return Contest(
                try World(devices: 1, users: 2, bound: 2, limits: limits),
                [0, 1].map { control($0, 1, ["mode": "queue"]) }
            )
        },
        Race("A command is answered or expires") {
            let world = try commanded()
            world.clock.advance(seconds: 3600)
            return Contest(world, [sweep, outcome(0)])
        },
        Race("A command has one outcome, even if its device answers twice") {
            Contest(try commanded(), [outcome(0), outcome(7)])
        },
        Race("A removed user's command ends") {
            let world = try World(devices: 1, users: 2)
            try world.bind(0, 0, .owner)
            try world.bind(0, 1, .guest)
            return Contest(
                world,
                [
                    control(1, 1, ["mode": "queue"]),
                    ask(0, "device/removeUser", with(did, ["uid": .string(World.uid(1).text)])),
                ]
            )
        },
        Race("Two reports of a device are both merged, and each increases the version") {
            Contest(
                try World(devices: 1, online: true, users: 1, bound: 1),
                [
                    tell(World.report(0), ["id": "a", "data": ["level": 1]]),
                    tell(World.report(0), ["id": "b", "data": ["power": true]]),
                ]
            )
        },
        Race("A repeated report takes effect once") {
            let report = tell(World.report(0), ["id": "a", "data": ["level": 1]])
            return Contest(try World(devices: 1, online: true, users: 1, bound: 1), [report, report])
        },
        Race("An occurrence that is triggered twice runs once") {
            let (world, _, move) = try due()
            return Contest(world, [move, move])
        },
        Race("An occurrence runs or its schedule is deleted") {
            let (world, id, move) = try due()
            return Contest(world, [move, ask(0, "schedule/delete", ["scheduleId": .string(id.text)])])
        },
        Race("An occurrence runs for its creator alone, who is removed") {
            let (world, _, move) = try due()
            return Contest(world, [move, ask(0, "device/unbind", did)])
        },
    ]

    private static func control(_ user: Int, _ level: Int64, _ more: JSONObject = [:]) -> Move {
        ask(user, "device/control", with(with(did, ["data": ["level": .integer(level)]]), more))
    }

    /// Returns a `World` in which a device hasn't yet answered a command.
    private static func commanded() throws -> World {
        let world = try World(devices: 1, online: true, users: 1, bound: 1)
        world.sendRequest(0, "device/control", id: "c", with(did, ["data": ["level": 1]]))
        try world.runControl()
        return world
    }

    private static func outcome(_ code: Int64) -> Move {
        tell(World.report(0), ["id": .string("o\(code)"), "cid": 1, "code": .integer(code)])
    }

    /// Returns a `World`, its due schedule, and the move that handles the schedule's triggers.
    private static func due() throws -> (World, ScheduleID, Move) {
        let schedules = try ScheduleWorld()
        let id = try schedules.make("07:00")
        try schedules.advance(to: id)
        let triggers = try schedules.triggers()
        let move = move({ ScheduleWorker($0) }, turns: 1) { world in
            for trigger in triggers { world.broker.send(trigger.topic, trigger.payload) }
        }
        return (schedules.world, id, move)
    }
}
