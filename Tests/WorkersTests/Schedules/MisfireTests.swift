import Domain
import JSON
import Storage
import TestKit
import Testing

@testable import Workers

@Suite("Schedules and problems with time")
struct MisfireTests {
    struct Late: CustomTestStringConvertible, Sendable {
        var name: String
        var misfire: String
        /// How many seconds the service was down, from the time of the first occurrence.
        var away: Int64
        var runs: [String]
        var testDescription: String { name }
    }

    static let late = [
        Late(name: "4 minutes late", misfire: "skip", away: 240, runs: ["sent"]),
        Late(name: "5 minutes late to the second", misfire: "skip", away: 300, runs: ["sent"]),
        Late(name: "more than 5 minutes late", misfire: "skip", away: 301, runs: ["missed"]),
        Late(name: "late and wanted", misfire: "run", away: 3600, runs: ["sent"]),
        Late(
            name: "away for three days",
            misfire: "skip",
            away: 3 * 86_400 + 3600,
            runs: ["missed", "missed", "missed", "missed"]
        ),
        Late(
            name: "away for three days, the latest wanted",
            misfire: "run",
            away: 3 * 86_400 + 3600,
            runs: ["missed", "missed", "missed", "sent"]
        ),
        Late(
            name: "back in time for the third",
            misfire: "run",
            away: 2 * 86_400 + 60,
            runs: ["missed", "missed", "sent"]
        ),
    ]

    @Test("Schedules survive sleep, a stopped service and a clock that jumps ahead", arguments: late)
    func away(_ row: Late) throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00", ["misfire": .string(row.misfire)])
        let first = try #require(try world.schedule(id)?.nextAt)

        try world.advance(to: id, seconds: row.away)
        try world.settle()
        try world.settle()

        let runs = try world.runs(id)
        #expect(runs.map(\.state) == row.runs)
        #expect(
            runs.map(\.dueAt)
                == row.runs.indices.map { first.adding(seconds: Int64($0) * 86_400) }
        )
        #expect(try world.schedule(id)?.nextAt == first.adding(seconds: Int64(runs.count) * 86_400))
        #expect(try world.world.count("command") == (row.runs.contains("sent") ? 1 : 0))
    }

    @Test("A clock that goes back runs nothing twice and misses nothing") func back() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00")
        let first = try #require(try world.schedule(id)?.nextAt)
        try world.advance(to: id, seconds: 10)
        try world.settle()

        world.world.clock.advance(seconds: -5 * 3600)
        try world.run()
        for _ in 0..<6 {
            world.world.clock.advance(seconds: 3600)
            try world.settle()
        }

        #expect(try world.runs(id).map(\.dueAt) == [first])
        #expect(try world.world.count("command") == 1)
        #expect(try world.schedule(id)?.nextAt == first.adding(seconds: 86_400))
    }

    @Test("A clock that was a year ahead and is corrected leaves tomorrow's occurrence in place") func ahead() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00")
        let first = try #require(try world.schedule(id)?.nextAt)
        let year: Int64 = 365 * 86_400

        world.world.clock.advance(seconds: year)
        try world.settle()
        #expect(try world.runs(id).count == 365)
        world.world.clock.advance(seconds: -year)
        try world.run()

        #expect(try world.schedule(id)?.nextAt == first)
        // While the clock was wrong, the service recorded a year's occurrences as missed. So it doesn't run these
        // occurrences now.
        try world.advance(to: id)
        try world.settle()
        #expect(try world.runs(id).count == 365)
        #expect(try world.world.count("command") == 0)
    }

    @Test("New zone data moves future occurrences")
    func zones() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00", ["timezone": "Asia/Kathmandu"])
        let due = try #require(try world.schedule(id)?.nextAt)
        // The test changes the stored plan as if the service had used older zone data. In this older data, the time in
        // Kathmandu was the same as UTC.
        try world.world.write { (tx) throws in
            guard let other = ZoneFiles.data(of: "Etc/UTC"), var schedule = try tx.schedules.find(id) else { return }
            try tx.replans.setZone("Asia/Kathmandu", other)
            schedule.nextAt = due.adding(seconds: 5 * 3600 + 2700)
            try tx.schedules.plan([schedule])
        }

        world.world.clock.advance(seconds: 61)
        world.world.broker.forgetPublished()
        try world.run()

        #expect(try world.schedule(id)?.nextAt == due)
        #expect(!world.world.broker.published(to: "ll/v1/user/u-1/schedule").isEmpty)
    }

    @Test(
        "With a drifting clock and doubled or lost triggers, each occurrence runs at most once",
        arguments: 0..<20
    )
    func wander(_ seed: Int) throws {
        let world = try ScheduleWorld(devices: 10)
        var random = Seed(seed)
        var ids: [ScheduleID] = []
        for device in 0..<10 {
            let hour = Int.random(in: 10...23, using: &random)
            ids.append(try world.make("\(hour):00", device: device))
        }
        for _ in 0..<40 {
            let jump = Int64.random(in: -7200...14_400, using: &random)
            world.world.clock.advance(seconds: Bool.random(using: &random) ? 600 : jump)
            for trigger in try world.triggers() {
                for _ in 0..<Int.random(in: 0...2, using: &random) {
                    world.world.broker.send(trigger.topic, trigger.payload)
                }
            }
            try world.run()
        }

        for (device, id) in ids.enumerated() {
            let sent = try world.runs(id).count { ["sent", "expired"].contains($0.state) }
            let commands = try world.world.read { tx in try tx.commands.newest(World.did(device), limit: 100) }
            #expect(commands.count == sent)
            #expect(Set(commands.map(\.cid)).count == commands.count)
            let late = commands.filter { command in
                let day = (command.createdAt.milliseconds / 1000) % 86_400
                return day % 3600 > 300
            }
            #expect(late.isEmpty)
        }
    }
}
