import ArgumentParser
import Domain
import JSON
import Storage
import Workers

/// The commands `schedule …` about the commands that devices get at certain times.
struct ScheduleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        abstract: "Inspect schedules and their next occurrences.",
        discussion: """
            lamplighter schedule list
            lamplighter schedule next s-0a1b2c3d4e5ff
            """,
        subcommands: [
            ScheduleListCommand.self, ScheduleShowCommand.self, ScheduleNextCommand.self,
        ]
    )
}

extension CommandContext {
    /// Returns the schedule with an id, or throws a `Problem` if there is none.
    func schedule(_ id: String) throws -> Schedule {
        try find("schedule", id) {
            try $1.schedules.find($0)
        }
    }
}

/// The command `schedule list`, which shows schedules in the order in which they were created.
struct ScheduleListCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List schedules, of one device or of all.",
        discussion: "lamplighter schedule list"
    )
    static let operation = "listSchedules"

    @Option(help: "Only schedules of this device.")
    var device: String?

    @Option(help: "Only schedules after this id, the last of the previous page.")
    var after = ""

    @OptionGroup var most: LimitOption

    @OptionGroup(title: "Common options") var common: CommonOptions

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

/// The command `schedule show`, which shows one schedule with its latest runs.
struct ScheduleShowCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one schedule and its latest runs.",
        discussion: "lamplighter schedule show s-0a1b2c3d4e5ff"
    )
    static let operation = "showSchedule"

    @Argument(help: "The schedule's id.")
    var id: String

    @OptionGroup(title: "Common options") var common: CommonOptions

    var path: [String: String] { ["scheduleId": id] }

    func show(_ answer: JSONObject, in place: CommandContext) {
        let row = answer.object("schedule")
        print("\(id)  device \(row.named("did", "deviceName"))  by \(row.text("creator"))")
        Terminal.show(
            plain: "\(row.days) at \(row.text("time"))   \(row.text("timezone"))"
                + "   misfire \(row.text("misfire"))"
        )
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

/// The command `schedule next`, which prints a schedule's next occurrences in the local time of its zone.
struct ScheduleNextCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "next",
        abstract: "Print a schedule's next occurrences, with their offsets from UTC.",
        discussion: "lamplighter schedule next s-0a1b2c3d4e5ff"
    )

    @Argument(help: "The schedule's id.")
    var id: String

    @Option(help: "Number of occurrences, 1 to 1000.")
    var count = 5

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

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
