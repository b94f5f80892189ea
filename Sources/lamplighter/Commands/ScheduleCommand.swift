import ArgumentParser
import Domain
import JSON
import Storage
import Workers

extension CommandContext {
    /// Returns the schedule with the given id, or throws a `Problem`.
    func schedule(_ id: String) throws -> Schedule {
        try find("schedule", id) {
            try $1.schedules.find($0)
        }
    }
}

extension ScheduleListCommand {
    var query: [String: String?] {
        ["query": device.map { "device:\"\($0)\"" }, "limit": "\(most.limit)", "cursor": after]
    }

    func answer(in place: CommandContext) async throws -> JSONObject {
        if let device { _ = try place.device(device) }
        return try await place.run(Self.operation, query: query)
    }

    func show(_ answer: JSONObject, in place: CommandContext) {
        Terminal.show(
            answer.items,
            [
                Column("SCHEDULE", "scheduleId"),
                Column("DEVICE") { $0.named("did", "deviceName") }, Column("DAYS", \.days),
                Column("TIME", "time"), Column("ZONE", "timezone"),
                Column("NEXT") {
                    $0["enabled"]?.boolValue == true ? $0.moment("nextAt") : "disabled"
                }, Column("REMARK", "remark"),
            ]
        )
        guard let next = answer["next"]?.stringValue else { return }
        Terminal.tell("more: --after \(next)")
    }
}

extension JSONObject {
    /// The days of a schedule, in words.
    var days: String {
        let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        if let days = self["weekDays"]?.arrayValue {
            return days.compactMap(\.intValue).map { names[Int($0) - 1] }.joined(separator: ",")
        }
        guard let days = self["monthDays"]?.arrayValue else { return text("date") }
        return "day " + days.compactMap(\.intValue).map(String.init).joined(separator: ",")
    }
}

extension ScheduleShowCommand {
    var path: [String: String] { ["scheduleId": id] }

    func show(_ answer: JSONObject, in place: CommandContext) {
        let row = answer.object("schedule")
        print("\(id)  device \(row.named("did", "deviceName"))  by \(row.text("creator"))")
        let time = "\(row.days) at \(row.text("time"))   \(row.text("timezone"))"
        Terminal.show(plain: "\(time)   misfire \(row.text("misfire"))")
        print(row["enabled"]?.boolValue == true ? "next \(row.moment("nextAt"))" : "disabled")
        print("sets \(row.text("attrs"))")
        if row["remark"] != nil { Terminal.show(plain: "remark \(row.text("remark"))") }
        print("")
        Terminal.show(
            answer.objects("runs"),
            [
                .moment("DUE", "dueAt"), .moment("TAKEN UP", "firedAt"), Column("STATE", "state"),
                Column("COMMAND", "cid"),
                Column("ERROR") { $0.text($0["error"] == nil ? "code" : "error") },
            ]
        )
    }
}

extension ScheduleNextCommand {
    func validate() throws {
        guard (1...1000).contains(count) else {
            throw ValidationError("--count takes 1 to 1000, not \(count)")
        }
    }

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let schedule = try place.schedule(id)
        let now = SystemClock().now
        let (moments, zone, polar) = try place.store.read { tx in
            var calendar = ScheduleCalendar(tx, keepsNewZones: false)
            var moments: [Instant] = []
            while moments.count < count,
                let next = try calendar.next(schedule, after: moments.last ?? now)
            {
                moments.append(next)
            }
            let (zone, spot) = try calendar.frame(of: schedule)
            let polar = spot.flatMap {
                ScheduleRules.polar(schedule.timing, after: now, zone: zone, place: $0)
            }
            return (moments, zone, polar)
        }
        let rows = moments.map { ($0, zone.text(at: $0.milliseconds / 1000)) }
        if output.json {
            return Terminal.show(
                .array(
                    rows.map { ["at": .integer($0.milliseconds), "local": .string($1)] }
                )
            )
        }
        for (_, local) in rows { print(local) }
        tell(schedule, polar, isEmpty: rows.isEmpty)
    }

    private func tell(
        _ schedule: Schedule,
        _ polar: (date: CalendarDate, outcome: ScheduleRules.DayOutcome)?,
        isEmpty: Bool
    ) {
        if let polar {
            let why =
                polar.outcome == .polarDay
                ? "the sun stays up (polar day)" : "the sun stays down (polar night)"
            Terminal.tell("note: nothing on \(polar.date): \(why)")
        }
        if !schedule.isEnabled { Terminal.tell("note: the schedule is disabled") }
        if isEmpty { Terminal.tell("note: no further occurrence") }
    }
}
