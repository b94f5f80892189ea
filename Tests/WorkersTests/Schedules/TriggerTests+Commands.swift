import Domain
import JSON
import Storage
import Testing

@testable import Workers

extension TriggerTests {
    @Test("A run whose command is refused later keeps the reason")
    func refusedLater() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00")
        try world.advance(to: id)
        try world.settle()

        _ = try world.world.work { work in
            try work.tx.lock(devices: [World.did(0)])
            var command = try #require(try work.tx.commands.find(World.did(0), 1))
            CommandRules.refuse(&command, .forbidden, at: work.now)
            try CommandOutcome.endScheduleRun(command, in: &work)
        }

        let answer = try world.ask(0, "runs", ["scheduleId": .string(id.text)])
        let run = answer["result"]?.objectValue?["runs"]?.arrayValue?.first?.objectValue
        #expect(run?["state"] == "failed")
        #expect(run?["error"]?.objectValue?["code"] == "Forbidden")
    }

    @Test("A run fails at once if the limit of waiting commands is reached, as a user's command does")

    func fullQueue() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00")
        try world.advance(to: id)
        let max = world.world.environment.limits.queuedPerDevice
        for level in 0..<max { _ = try world.world.takeScheduled(level: Int64(level % 100)) }

        let triggers = try world.triggers()
        for trigger in triggers { world.world.broker.send(trigger.topic, trigger.payload) }
        try world.world.run { ScheduleWorker($0) }

        let answer = try world.ask(0, "runs", ["scheduleId": .string(id.text)])
        let run = answer["result"]?.objectValue?["runs"]?.arrayValue?.first?.objectValue
        #expect(run?["error"]?.objectValue?["code"] == "TooManyRequests")
        #expect(try world.world.count("command") == max)
    }

    @Test("A run fails at once if the device is away or the creator has lost the right") func failing() throws {
        for (change, code) in [
            ("UPDATE status SET online = 0", "DeviceOffline"), ("UPDATE binding SET access = 'read'", "Forbidden"),
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

    @Test("A waiting command is checked again against the rights of its schedule's creator")

    func waitingRights() throws {
        for (change, code) in [
            ("UPDATE binding SET access = 'read' WHERE uid = 'u-1'", "Forbidden"),
            ("UPDATE binding SET subscribed = 0 WHERE uid = 'u-1'", "NotSubscribed"),
            ("UPDATE binding SET guestUntil = 1 WHERE uid = 'u-1'", "NotBound"),
        ] {
            let world = try ScheduleWorld()
            let id = try world.make("07:00", user: 1)
            try world.fireWithoutSending(id)
            try world.world.write { (tx) throws in try tx.sql.run(change) }
            world.world.broker.forgetPublished()

            try world.world.runControl()

            #expect(world.commands().isEmpty, "\(code)")
            let command = try world.world.read { try $0.commands.find(World.did(0), 1) }
            #expect(command?.state == .failed && command?.refusal?.rawValue == code)
        }
    }

    @Test("A waiting command is not sent after its schedule's creator is unbound") func waitingUnbound() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00", user: 1)
        try world.fireWithoutSending(id)
        _ = try world.world.work { work in
            try work.tx.lock(devices: [World.did(0)])
            let bindings = try Bindings(of: World.did(0), by: .system, in: work)
            try bindings.leave(World.uid(1), because: .removed, in: &work)
        }

        try world.world.runControl()

        #expect(world.commands().isEmpty)
        let command = try world.world.read { try $0.commands.find(World.did(0), 1) }
        #expect(command?.state == .failed && command?.refusal == .notBound)
    }

    @Test("Deleting a schedule does not recall its command") func waitingDeleted() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00")
        try world.fireWithoutSending(id)
        try world.ask(0, "delete", ["scheduleId": .string(id.text)])

        try world.world.runControl()

        #expect(world.commands().count == 1)
    }

    @Test("Of two answers with the same cid the first determines the command's and the run's outcome")
    func twoAnswers() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00")
        try world.advance(to: id)
        try world.settle()
        world.world.broker.forgetPublished()

        world.world.sendReport(0, ["id": "a1", "cid": 1, "code": 7, "data": ["power": false]])
        world.world.sendReport(0, ["id": "a2", "cid": 1, "code": 0, "data": ["power": true]])
        try world.world.runStatus()

        let topic = "ll/v1/user/\(World.uid(0).text)/device/\(World.did(0).text)/event"
        let events = world.world.broker.published(to: topic).filter { $0["type"] == "scheduleRun" }
        #expect(events.map { $0["value"]?.objectValue?["state"] } == ["failed"])
        let command = try world.world.read { try $0.commands.find(World.did(0), 1) }
        #expect(command?.state == .failed && command?.code == 7)
        #expect(try world.runs(id).map(\.state) == ["failed"])
        // The device's second answer contains values. The service stores them like the values of any report.
        let power = try world.world.status(0)?.attributes.first { $0.name == "power" }
        #expect(power?.value == true)
    }
}
