import Domain
import JSON
import Storage
import Wire

@testable import Workers

/// The environment of a test of schedules.
///
/// User 0 is each device's special user. User 1 is a normal user, and user 2 has no device.
final class ScheduleWorld {
    let world: World
    private var lastID = 0

    init(devices: Int = 1) throws { world = try World(devices: devices, online: true, users: 3, bound: 2) }

    var now: Instant { world.clock.now }

    /// Sends a request to the schedule worker and returns the answer.
    @discardableResult
    func ask(_ user: Int, _ method: String, _ params: JSONObject) throws -> JSONObject {
        lastID += 1
        world.broker.forgetPublished()
        world.sendRequest(user, "schedule/\(method)", id: "q\(lastID)", params)
        try world.run { ScheduleWorker($0) }
        return world.answers(user).last ?? [:]
    }

    /// Creates a daily schedule, by default of user 0, and returns the schedule's id.
    @discardableResult
    func make(
        _ time: String,
        device: Int = 0,
        user: Int = 0,
        _ more: JSONObject = [:]
    ) throws -> ScheduleID {
        var params: JSONObject = [
            "did": .string(World.did(device).text), "time": .string(time), "timezone": "UTC", "attrs": ["power": true],
        ]
        if more["date"] == nil { params["weekDays"] = [1, 2, 3, 4, 5, 6, 7] }
        for member in more.members { params[member.key] = member.value }
        let answer = try ask(user, "create", params)
        let id = answer["result"]?.objectValue?["schedule"]?.objectValue?["scheduleId"]
        return ScheduleID(trusted: id?.stringValue ?? "none")
    }

    func schedule(_ id: ScheduleID) throws -> Schedule? { try world.read { try $0.schedules.find(id) } }

    /// Advances the clock to the time that is `seconds` after a schedule's next occurrence.
    func advance(to id: ScheduleID, seconds: Int64 = 0) throws {
        guard let next = try schedule(id)?.nextAt else { return }
        let gap = next.milliseconds - now.milliseconds
        world.clock.advance(milliseconds: gap + seconds * 1000)
    }

    /// Runs the scheduler, and returns the triggers that it has published; no worker receives them.
    func triggers() throws -> [(topic: String, payload: [UInt8])] {
        world.broker.forgetPublished()
        try world.run { TriggerClock($0) }
        return world.broker.published.filter { $0.topic.contains("/system/trigger/") }
            .map { ($0.topic, $0.payload) }
    }

    func fire(_ id: ScheduleID, dueAt: Instant) {
        world.broker.send(
            "ll/v1/system/trigger/\(id.text)",
            ScheduleCodec.encode(Trigger(id, dueAt: dueAt), firedAt: now)
        )
    }

    /// Fires a schedule's next occurrence and stores the resulting command without sending it.
    func fireWithoutSending(_ id: ScheduleID) throws {
        try advance(to: id)
        for trigger in try triggers() { world.broker.send(trigger.topic, trigger.payload) }
        try world.run { ScheduleWorker($0) }
    }

    /// Runs the schedule worker, and then the control worker, which sends the commands of schedules.
    func run() throws {
        try world.run { ScheduleWorker($0) }
        try world.runControl()
    }

    /// Runs the scheduler, the schedule worker and the control worker until no schedule is due.
    func settle() throws {
        for _ in 0..<20 {
            let due = try triggers()
            guard !due.isEmpty else { return }
            for trigger in due { world.broker.send(trigger.topic, trigger.payload) }
            try run()
        }
        throw World.Endless()
    }

    /// Returns all runs of a schedule, the oldest first.
    func runs(_ id: ScheduleID) throws -> [(state: String, dueAt: Instant)] {
        try world.read { tx in
            try tx.sql.query(
                "SELECT state, dueAt FROM scheduleRun WHERE scheduleId = $1 ORDER BY dueAt",
                id
            ) {
                ($0.next(String.self), Instant(milliseconds: $0.next(Int64.self)))
            }
        }
    }

    func commands(_ device: Int = 0) -> [JSONObject] { world.broker.published(to: World.command(device)) }

    func deadLetters() throws -> [String] {
        try world.read { tx in try tx.sql.query("SELECT reason FROM deadLetter ORDER BY id") { $0.next(String.self) } }
    }
}
