import Domain
import JSON
import Storage
import StoreTestKit
import Testing
import Wire

@testable import Workers

@Suite("Messages that fail repeatedly")
struct LoopFailureTests {
    @Test("The pauses double up to a minute, and a clock set back doesn't lengthen them")
    func pauses() {
        var rest = DueBackoff()
        var now = Instant(milliseconds: 1_700_000_000_000)
        #expect(rest.isOver(at: now))
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] as [Int64] {
            #expect(rest.begin(at: now) == seconds)
            #expect(!rest.isOver(at: now.adding(milliseconds: seconds * 1000 - 1)))
            now = now.adding(seconds: seconds)
            #expect(rest.isOver(at: now))
        }
        _ = rest.begin(at: now)
        #expect(!rest.isOver(at: now))
        #expect(rest.isOver(at: now.adding(seconds: -3600)))
    }

    @Test("A worker that fails on due work continues with messages and retries less and less often")

    func poisonDue() throws {
        let world = try World(devices: 3, users: 1, bound: 1)
        let dose = Failing<StatusHandler>.Dose()
        dose.isDuePoisoned = true
        var loop = try world.loop(
            Failing(inner: StatusHandler(world.environment), dose: dose)
        )
        for number in 0..<100 {
            world.clock.advance(seconds: 1)
            world.sendReport(0, ["id": .string("r\(number)"), "data": ["level": .integer(Int64(number + 1))]])
            try loop.turn()
            try loop.turn()
        }
        #expect(try world.status(0)?.version == 100)
        #expect(world.broker.acknowledged == 100)
        #expect(try world.count("deadLetter") == 0)
        // The pauses between tries are 1, 2, 4, 8, 16 and 32 seconds. Each try runs the due work twice: first in the
        // transaction of the messages, then in a separate transaction.
        #expect((6...16).contains(dose.dueCount))

        dose.isDuePoisoned = false
        world.clock.advance(seconds: 61)
        try world.write { (tx) throws in try tx.refreshes.add([Refresh(did: World.did(1), uid: World.uid(0))]) }
        try world.settle(&loop)
        #expect(world.broker.published(to: World.statusTopic(0, 1)).count == 1)
    }

    @Test("A worker that can't read due work continues with messages")
    func poisonLook() throws {
        let world = try World(devices: 3, users: 1, bound: 1)
        let dose = Failing<StatusHandler>.Dose()
        dose.isLookPoisoned = true
        var loop = try world.loop(
            Failing(inner: StatusHandler(world.environment), dose: dose)
        )
        try loop.turn()
        world.sendReport(0, ["id": "r1", "data": ["level": 5]])
        try world.settle(&loop)

        #expect(try world.status(0)?.version == 1)
    }

    @Test(
        "With a full disk nothing is acknowledged, and afterwards nothing is lost",
        .onlyOnFile
    )
    func full() throws {
        let world = try World(devices: 3, users: 1, bound: 1)
        world.environment.limits.batchMax = 10
        try limitPages(world, 0)
        for number in 0..<40 {
            let text = String(repeating: "x", count: 2000)
            world.broker.send(World.report(number % 3), ["id": .string("r\(number)"), "data": ["pin": .string(text)]])
            world.sendReport(
                number % 3,
                [
                    "id": .string("g\(number)"), "data": ["level": .integer(Int64(number))],
                    "faults": [["name": "sensor", "value": .string(String(text.prefix(900)))]],
                ]
            )
        }
        var failures = 0
        for _ in 0..<5 {
            do {
                var loop = try world.loop(StatusHandler(world.environment))
                try world.settle(&loop)
            } catch {
                #expect(StoreError.isStoresFault(error))
                failures += 1
            }
        }
        #expect(failures == 5)
        let kept = world.broker.unacknowledged
        #expect(kept > 0)
        #expect(world.broker.acknowledged + kept >= 80)

        try limitPages(world, 1_000_000)
        try world.runStatus()
        let answered = Set(world.broker.published(ending: "/response").compactMap { $0["id"]?.stringValue })
        #expect(answered.count == 80)
        let history = try (0..<3).map { try world.historyCount($0) }.reduce(0, +)
        #expect(history == 40)
    }

    /// Limits the database's growth to a number of pages, on the writer's connection.
    private func limitPages(_ world: World, _ more: Int64) throws {
        try world.write { (tx) throws in
            let present = try tx.sql.integer("PRAGMA page_count") ?? 0
            _ = try tx.sql.integer("PRAGMA max_page_count = \(present + more)")
        }
    }
}
