import ArgumentParser
import Domain
import JSON
import Storage
import Workers

/// `schedule next`: the coming occurrences, in the local time of the schedule's zone.
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
