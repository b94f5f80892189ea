import Domain
import JSON
import Storage
import Testing

@testable import Workers

@Suite("Due schedules")
struct TriggerTests {
    @Test("A due schedule issues one command, however often it is triggered")
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

    @Test("The command's outcome ends the run, and all bound users are notified")
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

    @Test("A command without an answer expires, and so does its run")
    func expiry() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00")
        try world.advance(to: id)
        try world.settle()

        world.world.clock.advance(seconds: 31)
        try world.world.runControl()

        #expect(try world.runs(id).map(\.state) == ["expired"])
    }

    @Test("A guest's schedule doesn't run after the guest's access has expired")
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

            // The control worker has not yet deleted the guest's expired binding.
            for trigger in try world.triggers() { world.world.broker.send(trigger.topic, trigger.payload) }
            try world.world.run { ScheduleWorker($0) }

            #expect(try world.world.count("command") == Int64(commands))
            let topic = "ll/v1/user/\(World.uid(0).text)/device/\(World.did(0).text)/event"
            let told = world.world.broker.published(to: topic).map { $0["reason"] }
            #expect(told == (commands == 0 ? ["NotBound"] : []))
        }
    }

    @Test("After a new broker has started, devices reconnect before late schedules run") func settling() throws {
        for (late, isHeld) in [(1, true), (289, true), (291, false), (299, false)] as [(Int64, Bool)] {
            let world = try ScheduleWorld()
            let id = try world.make("07:00")
            try world.advance(to: id, seconds: late)
            world.world.broker.hasSession = false
            #expect(try world.triggers().isEmpty == isHeld, "\(late) s late")
            // In its second run, the scheduler finds its session on the broker. So the broker has also kept the
            // devices' sessions, and the scheduler holds no occurrence back.
            #expect(try world.triggers().count == 1)
        }
    }

    @Test("A one-time schedule runs once and disables itself, and the list is pushed")
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

    @Test("A one-time schedule that ran early and is enabled again ends at its time") func ranEarly() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00", ["date": "2023-11-15"])
        let due = try #require(try world.schedule(id)?.nextAt)
        try world.advance(to: id, seconds: -300)
        world.fire(id, dueAt: due)
        try world.run()
        try world.ask(0, "enable", ["scheduleId": .string(id.text)])
        #expect(try world.schedule(id)?.nextAt == due)
        try world.advance(to: id)

        try world.settle()

        let schedule = try world.schedule(id)
        #expect(schedule?.isEnabled == false && schedule?.nextAt == nil)
        #expect(try world.runs(id).count == 1)
    }

    @Test("Meaningless triggers become dead letters, and nothing runs") func deadLetters() throws {
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

    @Test(
        "A trigger that is much too early becomes a dead letter, and the schedule runs at its time"
    )
    func tooEarly() throws {
        for more in [[:], ["date": "2023-11-15"]] as [JSONObject] {
            let world = try ScheduleWorld()
            let id = try world.make("07:00", more)
            let due = try #require(try world.schedule(id)?.nextAt)
            try world.advance(to: id, seconds: -300)
            world.world.clock.advance(milliseconds: -1)

            world.fire(id, dueAt: due)
            try world.run()
            #expect(try world.deadLetters().count == 1)
            #expect(try world.world.count("command") == 0)
            #expect(try world.schedule(id)?.nextAt == due)

            try world.advance(to: id)
            try world.settle()
            #expect(try world.runs(id).map(\.state) == ["sent"])
        }
    }

    @Test("An external scheduler can trigger an occurrence a little early, and it runs once") func outside() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00")
        let due = try #require(try world.schedule(id)?.nextAt)
        try world.advance(to: id, seconds: -300)

        world.fire(id, dueAt: due)
        world.fire(id, dueAt: due)
        try world.run()
        try world.advance(to: id, seconds: -86_400)
        try world.settle()

        #expect(try world.world.count("command") == 1)
        #expect(try world.runs(id).count == 1)
    }

    @Test("A lost trigger is repeated after a while, not at once")
    func again() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00")
        try world.advance(to: id)
        var loop = try world.world.loop(TriggerClock(world.world.environment))

        for _ in 0..<50 {
            try loop.turn()
            world.world.clock.advance(milliseconds: 60)
        }

        let said = world.world.broker.published(to: "ll/v1/system/trigger/\(id.text)")
        #expect(said.count == 1)
    }

}
