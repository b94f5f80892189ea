import Domain
import Testing
import Wire

@testable import Workers

/// The session worker hears every request, since it answers in the place of workers that are away.
@Suite("Requests that are another worker's")
struct OthersRequestsTests {
    @Test("What its own worker answers costs the session worker no transaction")
    func noTransaction() throws {
        let world = try World()
        try world.makeUsers(1)
        var transactions = 0
        var loop = try world.loop(SessionHandler(world.environment)) {
            if $0 == .inTransaction { transactions += 1 }
        }
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

    @Test("A request that comes with the news that its worker went is answered")
    func sameBatch() throws {
        let world = try World()
        try world.makeUsers(1)
        var loop = try world.loop(SessionHandler(world.environment))
        try say(isOnline: true, world, &loop)
        send(isOnline: false, world)
        world.sendRequest(0, "device/control", id: "a")
        try world.settle(&loop)
        #expect(
            world.broker.published(to: World.answerTopic(0)).map(\.errorCode) == ["Unavailable"]
        )
    }

    private func send(isOnline: Bool, _ world: World) {
        world.broker.send(
            "ll/v1/system/worker/control",
            SystemCodec.workerState(isOnline: isOnline, ts: world.clock.now)
        )
    }

    private func say(
        isOnline: Bool,
        _ world: World,
        _ loop: inout World.Loop<SessionHandler>
    ) throws {
        send(isOnline: isOnline, world)
        try world.settle(&loop)
    }
}
