import Domain
import JSON
import Storage
import StoreTestKit
import Testing
import Wire

@testable import Workers

/// Tests of the session worker, which also receives the requests to all other workers.
///
/// While a worker is absent, the session worker refuses the requests to this worker.
@Suite("Requests of other workers")
struct OthersRequestsTests {
    @Test("Other workers' requests cost the session worker no transaction")
    func noTransaction() throws {
        let world = try World()
        try world.makeUsers(1)
        var transactions = 0
        var loop = try world.loop(SessionHandler(world.environment)) { if $0 == .inTransaction { transactions += 1 } }
        try say(isOnline: true, world, &loop)
        transactions = 0
        for id in ["a", "b", "c"] {
            world.sendRequest(0, "device/control", id: id)
            try world.settle(&loop)
        }
        #expect(transactions == 0)
        #expect(world.broker.published(to: World.answerTopic(0)).isEmpty)
        #expect(world.broker.isIdle)
    }

    @Test(
        "A request that waited for another process's session worker is left to its present worker",
        .enabled(if: TestStore.isPostgres)
    )
    func lanes() throws {
        let world = try World()
        try world.makeUsers(1)
        world.environment.plan = .shared
        try world.store.coordinate { cluster in
            _ = try cluster.nodes.claim(id: "n", name: "n", version: "1", milliseconds: 60_000)
            _ = try cluster.leases.make("control", lanes: 2)
            _ = try cluster.leases.take("control", limit: 2, for: "n")
        }
        for (id, method) in [("a", "device/control"), ("b", "account/whoami")] {
            let topic = World.requestTopic(0, method)
            let shard = World.terminal(0).text.suffix(2)
            world.broker.send(
                topic.replacing("ll/v1/app/", with: "ll/v1/shard/\(shard)/app/"),
                ["id": .string(id), "token": .string(World.token(0)), "params": [:]]
            )
        }
        var loop = try world.loop(SessionHandler(world.environment))
        try world.settle(&loop)

        let answers = world.broker.published(to: World.answerTopic(0))
        #expect(answers.map { $0["id"] } == ["b"])
        #expect(answers.map(\.errorCode) == ["Unavailable"])
    }

    @Test("A request that arrives with the news of its worker's absence is answered")
    func sameBatch() throws {
        let world = try World()
        try world.makeUsers(1)
        var loop = try world.loop(SessionHandler(world.environment))
        try say(isOnline: true, world, &loop)
        send(isOnline: false, world)
        world.sendRequest(0, "device/control", id: "a")
        try world.settle(&loop)
        #expect(world.broker.published(to: World.answerTopic(0)).map(\.errorCode) == ["Unavailable"])
    }

    @Test(
        "A request of an absent worker is refused each time it arrives, and carried out when it is repeated later"
    )
    func again() throws {
        let world = try World(devices: 1, online: true, users: 1, bound: 1)
        func ask() {
            world.sendRequest(0, "device/control", id: "a", ["did": .string(World.did(0).text), "data": ["level": 1]])
        }
        var loop = try world.loop(SessionHandler(world.environment))
        for _ in 1...2 {
            ask()
            try world.settle(&loop)
        }
        // The control worker is running again. The broker has kept both refused requests, so the test delivers the two
        // requests to the control worker, too.
        for _ in 1...2 {
            ask()
            try world.runControl()
        }
        #expect(world.answers().map(\.errorCode) == Array(repeating: "Unavailable", count: 4))
        #expect(world.broker.published(to: World.command(0)).isEmpty)

        for _ in 1...2 {
            ask()
            try world.runControl()
        }
        #expect(world.answers().suffix(2).allSatisfy { $0["ok"] == true })
        #expect(world.broker.published(to: World.command(0)).count == 1)
        // If a request has taken effect, the session worker doesn't refuse its repetition. The request's own worker
        // answers the repetition.
        ask()
        try world.settle(&loop)
        #expect(world.answers().count == 6)
    }

    @Test(
        "If the broker has kept nothing of a refused request, its repetition is carried out"
    )
    func lost() throws {
        let world = try World(devices: 1, online: true, users: 1, bound: 1)
        var loop = try world.loop(SessionHandler(world.environment))
        for id in ["a", "a", "b"] {
            world.sendRequest(0, "device/list", id: id)
            try world.settle(&loop)
        }
        #expect(world.answers().map(\.errorCode) == ["Unavailable", "Unavailable", "Unavailable"])
        try world.write { (tx) throws in
            var worker = ControlHandler(world.environment)
            _ = try worker.connected(isSessionPresent: true, in: tx)
        }
        #expect(try world.count("request") == 2)
        try world.write { (tx) throws in
            var worker = ControlHandler(world.environment)
            _ = try worker.connected(isSessionPresent: false, in: tx)
        }
        #expect(try world.count("request") == 0)
    }

    @Test(
        "An answer that is computed each time is refused while its worker is absent, even if it was given before"
    )
    func reading() throws {
        let world = try World(devices: 1, online: true, users: 1, bound: 1)
        world.sendRequest(0, "device/list", id: "a")
        try world.runControl()
        var loop = try world.loop(SessionHandler(world.environment))
        try say(isOnline: false, world, &loop)
        world.sendRequest(0, "device/list", id: "a")
        try world.settle(&loop)
        #expect(world.answers().map(\.errorCode) == [nil, "Unavailable"])
    }

    private func send(isOnline: Bool, _ world: World) {
        world.broker.send(
            "ll/v1/system/worker/control",
            SystemCodec.workerState(isOnline: isOnline, ts: world.clock.now)
        )
    }

    private func say(isOnline: Bool, _ world: World, _ loop: inout World.Loop<SessionHandler>) throws {
        send(isOnline: isOnline, world)
        try world.settle(&loop)
    }
}
