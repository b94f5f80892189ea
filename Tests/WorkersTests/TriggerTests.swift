import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("Schedules that are due")
struct TriggerTests {
    @Test("A due schedule gives one command, whoever fires it and however often")
    func once() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00")
        let due = try #require(try world.schedule(id)?.nextAt)
        #expect(try world.triggers().isEmpty)

        try world.advance(to: id)
        let triggers = try world.triggers()
        #expect(triggers.map(\.topic) == ["ll/v1/system/trigger/\(id.text)"])
        world.world.broker.forgetPublished()
        for _ in 0..<3 {
            for trigger in triggers { world.world.broker.send(trigger.topic, trigger.payload) }
            world.fire(id, dueAt: due)
            try world.run()
        }

        let commands = world.commands()
        #expect(commands.count == 1)
        #expect(commands.first?["data"] == ["power": true])
        #expect(commands.first?["actor"] == ["kind": "schedule", "id": .string(id.text)])
        #expect(try world.runs(id).map(\.state) == ["sent"])
        #expect(try world.schedule(id)?.nextAt == due.adding(seconds: 86_400))
        #expect(try world.deadLetters().isEmpty)
        #expect(try world.triggers().isEmpty)
    }

    @Test("What becomes of the command is the run's end, and everyone bound is told")
    func outcome() throws {
        for (code, state) in [(0, "done"), (7, "failed")] as [(Int64, String)] {
            let world = try ScheduleWorld()
            let id = try world.make("07:00")
            try world.advance(to: id)
            try world.settle()
            let pending = try world.ask(0, "runs", ["scheduleId": .string(id.text)])
            #expect(pending["result"]?.objectValue?["runs"] == [])

            world.world.broker.forgetPublished()
            world.world.sendReport(0, ["cid": 1, "code": .integer(code)])
            try world.world.runStatus()

            for user in 0...1 {
                let topic =
                    "ll/v1/user/\(World.uid(user).text)/device/\(World.did(0).text)/event"
                let event = world.world.broker.published(to: topic).first
                #expect(event?["type"] == "scheduleRun")
                #expect(event?["actor"] == ["kind": "schedule", "id": .string(id.text)])
                #expect(event?["value"]?.objectValue?["state"] == .string(state))
            }
            let answer = try world.ask(1, "runs", ["scheduleId": .string(id.text)])
            let run = answer["result"]?.objectValue?["runs"]?.arrayValue?.first?.objectValue
            #expect(run?["state"] == .string(state))
            #expect(run?["cid"] == 1)
            #expect(run?["code"] == (code == 0 ? nil : .integer(code)))
        }
    }

    @Test("A command that nobody answers expires, and so does its run")
    func expiry() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00")
        try world.advance(to: id)
        try world.settle()

        world.world.clock.advance(seconds: 31)
        try world.world.runControl()

        #expect(try world.runs(id).map(\.state) == ["expired"])
    }

    @Test("A run fails at once where the device is away or its creator has lost his rights")
    func failing() throws {
        for (change, code) in [
            ("UPDATE status SET online = 0", "DeviceOffline"),
            ("UPDATE binding SET access = 'read'", "Forbidden"),
            ("UPDATE binding SET subscribed = 0 WHERE uid = 'u-0'", "NotSubscribed"),
        ] {
            let world = try ScheduleWorld()
            let id = try world.make("07:00")
            try world.advance(to: id)
            try world.world.write { (tx) throws in try tx.sql.run(change) }
            if code == "DeviceOffline" { try world.world.setOnline(0, false) }

            let triggers = try world.triggers()
            for trigger in triggers { world.world.broker.send(trigger.topic, trigger.payload) }
            try world.run()

            #expect(world.commands().isEmpty)
            let topic = "ll/v1/user/\(World.uid(1).text)/device/\(World.did(0).text)/event"
            #expect(world.world.broker.published(to: topic).map { $0["reason"] } == [.string(code)])
            let answer = try world.ask(0, "runs", ["scheduleId": .string(id.text)])
            let run = answer["result"]?.objectValue?["runs"]?.arrayValue?.first?.objectValue
            #expect(run?["state"] == "failed" && run?["cid"] == nil)
            #expect(run?["error"]?.objectValue?["code"] == .string(code))
        }
    }

    @Test("A guest's schedule does not act from the moment on at which his time ends")
    func guestsEnd() throws {
        for (seconds, commands) in [(1, 1), (0, 0)] as [(Int64, Int)] {
            let world = try ScheduleWorld()
            let id = try world.make("07:00", user: 1)
            let due = try #require(try world.schedule(id)?.nextAt)
            try world.world.write { (tx) throws in
                let end = due.adding(seconds: seconds).milliseconds
                try tx.sql.run("UPDATE binding SET guestUntil = \(end) WHERE uid = 'u-1'")
            }
            try world.advance(to: id)

            // Nobody has swept the bond yet.
            for trigger in try world.triggers() {
                world.world.broker.send(trigger.topic, trigger.payload)
            }
            try world.world.run { ScheduleHandler($0) }

            #expect(try world.world.count("command") == Int64(commands))
            let topic = "ll/v1/user/\(World.uid(0).text)/device/\(World.did(0).text)/event"
            let told = world.world.broker.published(to: topic).map { $0["reason"] }
            #expect(told == (commands == 0 ? ["NotBound"] : []))
        }
    }

    @Test("After a new broker's start devices come back before what is late is fired")
    func settling() throws {
        for (late, isHeld) in [(1, true), (289, true), (291, false), (299, false)]
            as [(Int64, Bool)]
        {
            let world = try ScheduleWorld()
            let id = try world.make("07:00")
            try world.advance(to: id, seconds: late)
            world.world.broker.hasSession = false
            #expect(try world.triggers().isEmpty == isHeld, "\(late) s late")
            // A broker that knows us knows the devices as well.
            #expect(try world.triggers().count == 1)
        }
    }

    @Test("A one-time schedule runs once, disables itself, and the list is pushed")
    func oneTime() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00", ["date": "2023-11-15"])
        let due = try #require(try world.schedule(id)?.nextAt)
        try world.advance(to: id)

        try world.settle()
        world.fire(id, dueAt: due)
        try world.run()

        let schedule = try world.schedule(id)
        #expect(schedule?.isEnabled == false && schedule?.nextAt == nil)
        #expect(try world.runs(id).map(\.state) == ["sent"])
        #expect(try world.deadLetters().isEmpty)
        #expect(try world.world.count("command") == 1)
    }

    @Test("Triggers that mean nothing are put aside, and nothing runs")
    func deadLetters() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00")
        let off = try world.make("08:00")
        try world.ask(0, "disable", ["scheduleId": .string(off.text)])
        let gone = try world.make("09:00")
        try world.ask(0, "delete", ["scheduleId": .string(gone.text)])
        let due = try #require(try world.schedule(id)?.nextAt)

        world.fire(gone, dueAt: due)
        world.fire(off, dueAt: due.adding(seconds: 3600))
        world.fire(id, dueAt: due.adding(seconds: 60))
        world.fire(id, dueAt: due.adding(seconds: -86_400))
        world.world.broker.send("ll/v1/system/trigger/\(id.text)", text: "{")
        world.world.broker.send("ll/v1/system/trigger/\(id.text)", ["firedAt": 1])
        world.world.broker.send("ll/v1/system/trigger/\(id.text)", ["dueAt": 1.5, "firedAt": 1])
        world.world.broker.send("ll/v1/system/trigger/a b", ["dueAt": 1, "firedAt": 1])
        try world.run()

        #expect(try world.deadLetters().count == 8)
        #expect(try world.world.count("command") == 0)
        #expect(try world.world.count("scheduleRun") == 0)
    }

    @Test("An outside scheduler may fire any occurrence to come; it runs once")
    func outside() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00")
        let due = try #require(try world.schedule(id)?.nextAt)

        world.fire(id, dueAt: due)
        world.fire(id, dueAt: due)
        try world.run()
        try world.advance(to: id, seconds: -86_400)
        try world.settle()

        #expect(try world.world.count("command") == 1)
        #expect(try world.runs(id).count == 1)
    }

    @Test("A lost trigger is said again after a while, not at once")
    func again() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00")
        try world.advance(to: id)
        var loop = try world.world.loop(SchedulerHandler(world.world.environment))

        for _ in 0..<50 {
            try loop.turn()
            world.world.clock.advance(milliseconds: 60)
        }

        let said = world.world.broker.published(to: "ll/v1/system/trigger/\(id.text)")
        #expect(said.count == 1)
    }

    // MARK: Time going wrong

    struct Late: CustomTestStringConvertible, Sendable {
        var name: String
        var misfire: String
        /// How long the service was away after the first occurrence, in seconds.
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

    @Test("Sleep, a service that was down, a clock that jumps ahead", arguments: late)
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

    @Test("A clock that goes back runs nothing twice, and misses nothing of the time to come")
    func back() throws {
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

    @Test("A clock that was a year ahead and is set right leaves tomorrow's occurrence in place")
    func ahead() throws {
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
        // Those days were noted as missed, by a clock that was wrong; they are not run twice.
        try world.advance(to: id)
        try world.settle()
        #expect(try world.runs(id).count == 365)
        #expect(try world.world.count("command") == 0)
    }

    @Test("New zone data moves the occurrences to come")
    func zones() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00", ["timezone": "Asia/Kathmandu"])
        let due = try #require(try world.schedule(id)?.nextAt)
        // As if the schedule had been planned with older data, by which Kathmandu was on UTC.
        try world.world.write { (tx) throws in
            guard let other = ZoneFiles.data(of: "Etc/UTC"),
                var schedule = try tx.schedules.find(id)
            else { return }
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
        "Ten schedules, a clock that wanders, triggers doubled and lost: each occurrence at most once",
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
            let commands = try world.world.read { tx in
                try tx.commands.newest(World.did(device), limit: 100)
            }
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
