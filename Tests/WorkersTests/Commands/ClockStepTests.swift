import Domain
import JSON
import Storage
import Testing

@testable import Workers

@Suite("A clock that is set")
struct ClockStepTests: CommandSuite {
    @Test("A command expires when it would have expired without the change", arguments: [20, 7200] as [Int64])
    func expiry(_ step: Int64) throws {
        let world = try world()
        var loop = try world.loop(ControlHandler(world.environment))
        world.sendRequest(
            0,
            "device/control",
            id: "c",
            ["did": .string(World.did(0).text), "data": ["power": true], "mode": "queue", "ttl": 60]
        )
        try world.settle(&loop)
        world.clock.advance(seconds: 30)
        world.clock.set(back: step)
        try world.settle(&loop)
        world.clock.advance(seconds: 29)
        try world.settle(&loop)
        #expect(outcomes(world).isEmpty)
        world.clock.advance(seconds: 2)
        try world.settle(&loop)
        #expect(outcomes(world).compactMap { $0["state"]?.stringValue } == ["expired"])
    }

    @Test("Neither passing time nor a clock set forward counts as a step back", arguments: [0, 1, -3600]) func none(
        _ back: Int64
    ) throws {
        let clock = ManualClock()
        var steps = ClockSteps()
        #expect(steps.stepBack(by: clock) == nil)
        steps.note(clock)
        clock.advance(seconds: 600)
        clock.set(back: back)
        #expect(steps.stepBack(by: clock) == nil)
        clock.set(back: 2 - min(0, back))
        #expect(steps.stepBack(by: clock) == 2000 + max(0, back) * 1000)
    }

    @Test(
        "A repeated request has one effect within ten elapsed minutes, however the clock is set meanwhile",
        arguments: [-7200, -600, 600, 7200] as [Int64]
    )
    func repeats(_ ahead: Int64) throws {
        let world = try world()
        var loop = try world.loop(ControlHandler(world.environment))
        var prune = try #require(
            ExpiredRows.all(world.environment).first { $0.name == "request" }
        )
        func ask() throws {
            world.sendRequest(
                0,
                "device/control",
                id: "c",
                ["did": .string(World.did(0).text), "data": ["power": true], "mode": "queue"]
            )
            try world.settle(&loop)
            _ = try prune.step()
        }
        try ask()
        world.clock.advance(seconds: 30)
        world.clock.set(back: -ahead)
        try ask()
        world.clock.advance(seconds: 300)
        world.clock.set(back: ahead)
        try ask()
        // The service remembers the request for ten minutes, even if the clock is wrong. After these ten minutes, the
        // service keeps the request for at most a few more minutes.
        world.clock.advance(seconds: 260)
        try ask()
        #expect(try world.count("command") == 1)

        world.clock.advance(seconds: 601)
        try ask()
        #expect(try world.count("command") == 2)
    }

    @Test(
        "A clock that was ahead for a while doesn't change the deadlines of earlier commands"
    )
    func aheadForAWhile() throws {
        let world = try world()
        var loop = try world.loop(ControlHandler(world.environment))
        func give(_ id: String) throws -> Int64 {
            world.sendRequest(
                0,
                "device/control",
                id: id,
                ["did": .string(World.did(0).text), "data": ["power": true], "mode": "queue", "ttl": 86_400]
            )
            try world.settle(&loop)
            return world.clock.now.milliseconds + 86_400_000
        }
        let first = try give("a")
        world.clock.advance(seconds: 10)
        world.clock.set(back: -7200)
        try world.settle(&loop)
        let second = try give("b")
        world.clock.advance(seconds: 60)
        world.clock.set(back: 7200)
        try world.settle(&loop)

        let commands = try world.read { tx in
            try (1...2).compactMap { try tx.commands.find(World.did(0), $0) }
        }
        #expect(
            commands.map(\.expiresAt.milliseconds) == [first, second - 7_200_000]
        )
    }
}
