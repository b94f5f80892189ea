import Domain
import JSON
import Testing

@testable import Workers

@Suite("Limits on answers to terminals")
struct AnswerBudgetTests {
    @Test("Two seconds' worth of answers is sent at once, and the rest at the rate")
    func burst() {
        let (budget, start) = (AnswerBudget(bytesPerSecond: 1000), ContinuousClock.now)
        budget.charge(2000, to: 1, at: start)
        #expect(budget.wait(of: 1, at: start) == nil)
        #expect(!budget.hasDebtors(at: start))
        budget.charge(500, to: 1, at: start)
        #expect(budget.wait(of: 1, at: start) == .milliseconds(500))
        #expect(budget.wait(of: 2, at: start) == nil)
        #expect(budget.hasDebtors(at: start))
        #expect(budget.wait(of: 1, at: start + .milliseconds(500)) == nil)
        // However long a terminal is idle, its credit never exceeds the bytes that the budget allows in two seconds.
        let later = start + .seconds(60)
        budget.charge(2500, to: 1, at: later)
        #expect(budget.wait(of: 1, at: later) == .milliseconds(500))
    }

    @Test("A reservation counts until the answer is known, and then the answer's size counts") func reserved() {
        let (budget, start) = (AnswerBudget(bytesPerSecond: 10_000), ContinuousClock.now)
        budget.reserve(for: 1, at: start)
        #expect(budget.wait(of: 1, at: start) != nil)
        budget.charge(100, to: 1, at: start)
        budget.settle(1, at: start)
        #expect(budget.wait(of: 1, at: start) == nil)
    }

    @Test("A rate of 0 means no limit")
    func unlimited() {
        let budget = AnswerBudget(bytesPerSecond: 0)
        budget.charge(1 << 30, to: 1, at: .now)
        #expect(budget.wait(of: 1, at: .now) == nil)
    }

    private func world(_ perTerminal: Int = 100) throws -> World {
        var limits = Limits()
        limits.answerBytesPerSecond = 100
        limits.heldPerTerminal = perTerminal
        return try World(devices: 1, online: true, users: 2, bound: 2, limits: limits)
    }

    private func spend(_ world: World, user: Int) {
        let party = Parties(World.topics).party(of: World.answerTopic(user)).key
        world.environment.answers.charge(300, to: party, at: world.clock.steady)
    }

    @Test("Requests beyond a terminal's budget wait, others' don't, and none is lost") func waits() throws {
        let world = try world()
        spend(world, user: 0)
        world.sendRequest(0, "home/list", id: "a")
        world.sendRequest(0, "home/list", id: "b")
        world.sendRequest(1, "home/list", id: "c")
        var loop = try world.loop(ControlHandler(world.environment))
        for _ in 0..<5 { try loop.turn() }
        #expect(world.answers(0).isEmpty)
        #expect(world.answers(1).count == 1)
        let isAwaiting = try loop.isAwaiting
        #expect(isAwaiting)
        #expect(world.broker.unacknowledged == 0)
        world.clock.advance(seconds: 2)
        for _ in 0..<5 { try loop.turn() }
        #expect(world.answers(0).map { $0["id"] } == ["a", "b"])
        let isDone = try !loop.isAwaiting
        #expect(isDone)
    }

    @Test("An answer's size is paid before the next request begins")
    func counts() throws {
        let world = try world()
        var loop = try world.loop(ControlHandler(world.environment))
        for id in ["a", "b", "c", "d", "e"] {
            world.sendRequest(0, "device/list", id: id)
            for _ in 0..<3 { try loop.turn() }
        }
        let begun = world.answers(0).count
        #expect(begun < 5 && begun > 0)
    }

    @Test("Requests beyond the waiting limit are refused with the time to wait")
    func refused() throws {
        let world = try world(2)
        spend(world, user: 0)
        for id in ["a", "b", "c"] { world.sendRequest(0, "home/list", id: id) }
        var loop = try world.loop(ControlHandler(world.environment))
        for _ in 0..<3 { try loop.turn() }
        let answer = try #require(world.answers(0).first)
        #expect(world.answers(0).count == 1)
        #expect(answer["id"] == "c" && answer.errorCode == "TooManyRequests")
        #expect(answer["error"]?.objectValue?["retryAfter"]?.intValue ?? 0 >= 1)
    }

    @Test("A worker that ends releases all waiting requests")
    func ends() throws {
        let world = try world()
        spend(world, user: 0)
        world.sendRequest(0, "home/list", id: "a")
        var loop = try world.loop(ControlHandler(world.environment))
        try loop.turn()
        #expect(world.answers(0).isEmpty)
        loop.endIntake()
        for _ in 0..<3 { try loop.turn() }
        #expect(world.answers(0).count == 1)
    }

    @Test("Logs are not read in the worker's turn: a command after them is answered first") func apart() throws {
        let world = try World(devices: 1, online: true, users: 2, bound: 2)
        let pool = FakePool()
        pool.isHeld = true
        world.environment.pool = pool
        let did = JSONValue.string(World.did(0).text)
        for method in ["device/events", "device/commands", "device/users", "device/history"] {
            let params: JSONObject = ["did": did, "from": 0, "to": 1]
            world.sendRequest(0, method, id: method.replacing("/", with: "-"), params)
        }
        world.sendRequest(1, "device/control", id: "c", ["did": did, "data": ["level": 1]])
        var loop = try world.loop(ControlHandler(world.environment))
        for _ in 0..<3 { try loop.turn() }
        #expect(world.answers(0).isEmpty)
        #expect(world.answers(1).map { $0["id"] } == ["c"])
        #expect(pool.journal.count { $0.readsStore } == 4)
        #expect(world.broker.unacknowledged == 0)
    }
}
