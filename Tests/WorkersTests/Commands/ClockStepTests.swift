import Domain
import JSON
import Testing

@testable import Workers

@Suite("A clock that is set back")
struct ClockStepTests: CommandSuite {
    @Test("A command expires as it would have without", arguments: [20, 7200] as [Int64])
    func expiry(_ step: Int64) throws {
        let world = try world()
        var loop = try world.loop(ControlHandler(world.environment))
        world.sendRequest(
            0,
            "device/control",
            id: "c",
            [
                "did": .string(World.did(0).text), "data": ["power": true], "mode": "queue",
                "ttl": 60,
            ]
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

    @Test("Passing time is not a step, nor is a clock set forward", arguments: [0, 1, -3600])
    func none(_ back: Int64) throws {
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
}
