import Domain
import JSON
import Storage
import StoreTestKit
import Testing
import Wire

@testable import Workers

@Suite("Receive, decide, commit, publish, acknowledge")
struct LoopTests {
    @Test("A report is stored, answered, published, and acknowledged last")
    func path() throws {
        let world = try World(devices: 3, users: 1, bound: 1)
        world.sendReport(0, ["id": "r1", "data": ["level": 5]])
        try world.runStatus()

        #expect(try world.status(0)?.version == 1)
        #expect(
            world.broker.published(to: World.response(0)) == [
                ["id": "r1", "ok": true, "version": 1, "stored": "state", "ts": .integer(world.clock.now.milliseconds)]
            ]
        )
        let told = try #require(world.broker.published(to: World.statusTopic(0, 0)).last)
        #expect(told["data"] == ["level": 5] && told["changed"] == ["level"] && told["version"] == 1)
        #expect(world.broker.retained[World.statusTopic(0, 0)] != nil)
        #expect(world.broker.acknowledged == 1)
        #expect(try world.count("outbox") == 0)
    }

    @Test("If the batch doesn't commit, nothing is acknowledged and nothing is published") func noCommit() throws {
        let world = try World(devices: 3, users: 1, bound: 1)
        world.sendReport(0, ["id": "r1", "data": ["level": 5]])
        var loop = try world.loop(
            Interrupting(inner: StatusHandler(world.environment), interruption: Interruption(.after))
        )
        world.broker.forgetPublished()
        let waiting = world.broker.unacknowledged
        #expect(throws: CancellationError.self) { try loop.turn() }

        #expect(world.broker.acknowledged == 0)
        #expect(world.broker.published.isEmpty)
        #expect(world.broker.unacknowledged == waiting)
        #expect(try world.status(0)?.version == 0)
        #expect(try world.count("outbox") == 0)
    }

    /// The steps at which a test interrupts a turn.
    enum Break: CaseIterable {
        case read, inTransaction, beforeCommit, committed, amidPublishing, published
        case publishedAndLeaked, flushed
    }

    private func broken(_ step: Break, passes: Int) throws -> World {
        let world = try World(devices: 3, users: 1, bound: 1)
        let interruption = Interruption()
        for number in 0..<30 {
            world.sendReport(number % 3, ["id": .string("r\(number)"), "data": ["level": .integer(Int64(number))]])
        }
        world.environment.limits.batchMax = 7
        // A slow machine must not shrink the batches, because each step is reached only while messages are left.
        world.environment.limits.turnMax = .seconds(3600)
        do {
            var loop = try world.loop(Interrupting(inner: StatusHandler(world.environment), interruption: interruption))
            for _ in 0..<passes { try loop.turn() }
            switch step {
            case .read: world.broker.failure = .receive
            case .inTransaction: interruption.point = .before
            case .beforeCommit: interruption.point = .after
            case .committed: world.broker.failure = .publish(after: 0)
            case .amidPublishing: world.broker.failure = .publish(after: 20)
            case .published: world.broker.failure = .beforeFlush
            case .publishedAndLeaked:
                world.broker.leaks = true
                world.broker.failure = .beforeFlush
            case .flushed: world.broker.failure = .afterFlush
            }
            for _ in 0..<1_000 { try loop.turn() }
            Issue.record("the turns did not reach \(step)")
        } catch {}
        try world.runStatus()
        return world
    }

    @Test(
        "Interrupted at any step, each report is applied, answered and published once",
        arguments: Break.allCases,
        [0, 1, 3]
    )
    func breaks(_ step: Break, _ passes: Int) throws {
        let world = try broken(step, passes: passes)

        #expect(world.broker.isIdle)
        for device in 0..<3 {
            #expect(try world.status(device)?.version == 10)
            #expect(try world.historyCount(device) == 10)
            let answers = world.broker.published(to: World.response(device))
            #expect(Set(answers.compactMap { $0["id"]?.stringValue }).count == 10)
            let versions = world.broker.published(to: World.statusTopic(0, device))
                .compactMap { $0["version"]?.intValue }
            // An older version may be missing because a newer version replaced it. But an older version is never
            // published after a newer version.
            #expect(versions == versions.sorted() && versions.last == 10)
        }
        // All answers to requests with the same id are successful and contain the same version.
        let answers = Dictionary(grouping: world.broker.published(ending: "/response")) { $0["id"]?.stringValue }
        #expect(
            answers.values.allSatisfy {
                $0.allSatisfy { $0["ok"] == true } && Set($0.compactMap { $0["version"]?.intValue }).count == 1
            }
        )
        #expect(try world.count("outbox") == 0)
    }

    /// Returns the topic of a message that was left in the outbox.
    ///
    /// All these topics belong to device 0, because the messages of one device are published in order.
    private static func left(_ number: Int, _ part: Int) -> String {
        "ll/v1/device/\(World.did(0).text)/left/\(number)/\(part)"
    }

    @Test("Messages left in the outbox are published first, in order")
    func leftovers() throws {
        let world = try World(devices: 3, users: 1, bound: 1)
        try world.write { (tx) throws in
            for number in 0..<50 {
                let messages = (0..<3).map { OutboundMessage(Self.left(number, $0), [1]) }
                _ = try tx.outbox.add(messages, by: "status", isSecret: number % 2 == 0)
            }
        }
        world.sendReport(0, ["id": "r1", "data": ["level": 5]])
        try world.runStatus()

        let topics = world.broker.published.map(\.topic).filter { $0.contains("/left/") || $0 == World.response(0) }
        let wanted = (0..<50).flatMap { number in (0..<3).map { Self.left(number, $0) } }
        #expect(topics == wanted + [World.response(0)])
        #expect(try world.count("outbox") == 0)
    }

    @Test("The order holds even if more messages are waiting than fit in memory")
    func leftoversBeyondBacklog() throws {
        var limits = Limits()
        limits.backlogMax = 10
        limits.outboxPage = 4
        limits.batchMax = 2
        limits.sendMaximum = 6
        let world = try World(limits: limits)
        try world.makeDevices(1)
        try world.makeUsers(1)
        try world.bind(0, 0)
        try world.write { (tx) throws in
            for number in 0..<30 {
                let messages = (0..<7).map { OutboundMessage(Self.left(number, $0), [1]) }
                _ = try tx.outbox.add(messages, by: "status", isSecret: false)
            }
        }
        for number in 0..<20 {
            world.sendReport(0, ["id": .string("r\(number)"), "data": ["level": .integer(Int64(number))]])
        }
        try world.runStatus()

        let topics = world.broker.published.map(\.topic)
        let last = try #require(topics.lastIndex { $0.contains("/left/") })
        let first = try #require(topics.firstIndex(of: World.response(0)))
        #expect(last < first)
        let versions = world.broker.published(to: World.statusTopic(0, 0)).compactMap { $0["version"]?.intValue }
        #expect(versions == versions.sorted())
        #expect(versions.last == 20)
    }

    @Test(
        "A message that always fails becomes a dead letter and its sender is told, and others pass",
        arguments: [0, 6, 12]
    )
    func poison(_ place: Int) throws {
        let world = try World(devices: 3, users: 1, bound: 1)
        try world.write { (tx) throws in try tx.sql.run(TestStore.poison) }
        for number in 0..<13 {
            let level: Int64 = number == place ? 666 : Int64(number + 1)
            world.sendReport(0, ["id": .string("r\(number)"), "data": ["level": .integer(level)]])
        }
        try world.runStatus()

        #expect(try world.historyCount(0) == 12)
        let letters = try world.read { try $0.deadLetters.page(limit: 10) }
        #expect(letters.count == 1)
        #expect(letters.first?.reason == "the service failed on the message")
        #expect(letters.first?.topic == World.report(0))
        let answers = world.broker.published(to: World.response(0))
        #expect(answers.count { $0["ok"] == true } == 12)
        let refusals = answers.filter { $0["ok"] == false }
        #expect(refusals.map { $0["id"]?.stringValue } == ["r\(place)"])
        #expect(refusals.first?["error"]?.objectValue?["code"] == "Internal")
        #expect(world.broker.acknowledged == 13)
        #expect(world.broker.published(ending: "system/dead-letter").count == 1)
    }

    @Test("A batch of 500 reports takes as many statements as a batch of 10")
    func statements() throws {
        let world = try World()
        try world.makeDevices(100)
        try world.makeUsers(5)
        for device in 0..<100 { try world.bind(device, device % 5) }
        var handler = StatusHandler(world.environment)
        func count(_ reports: Int, from first: Int) throws -> Int {
            let batch = (first..<(first + reports)).map { number in
                Inbound(
                    topic: Array(World.report(number % 100).utf8)[...],
                    payload: JSONObject([
                        ("id", .string("r\(number)")), ("data", ["level": .integer(Int64(number))]),
                        ("alerts", [["name": "hot", "value": .bool(number % 2 == 0)]]),
                    ]).encoded()[...],
                    responseTopic: nil,
                    correlation: nil,
                    isRetained: false
                )
            }
            return try world.write { tx in
                _ = try handler.handle(batch, in: tx)
                return tx.sql.statementCount
            }
        }
        _ = try count(1, from: 0)
        let ten = try count(10, from: 100)
        let fiveHundred = try count(500, from: 200)
        #expect(ten == fiveHundred)
        #expect(ten < 20)
    }

    @Test("While too many messages wait to be sent, nothing is read")
    func backlog() throws {
        var limits = Limits()
        limits.backlogMax = 2000
        limits.sendMaximum = 50
        let world = try World(limits: limits)
        try world.makeDevices(1)
        try world.makeUsers(1500)
        for user in 0..<1500 { try world.bind(0, user, .normal) }
        for number in 0..<40 {
            world.sendReport(0, ["id": .string("r\(number)"), "data": ["level": .integer(Int64(number))]])
        }
        world.environment.limits.batchMax = 2
        var loop = try world.loop(StatusHandler(world.environment))
        for _ in 0..<10 { try loop.turn() }
        #expect(world.broker.limits.suffix(5) == [0, 0, 0, 0, 0])
        #expect(world.broker.unacknowledged > 20)

        try world.settle(&loop, turns: 20_000)
        let versions = world.broker.published(to: World.statusTopic(7, 0)).compactMap { $0["version"]?.intValue }
        #expect(versions == Array(1...40))
        #expect(try world.count("outbox") == 0)
    }
}
