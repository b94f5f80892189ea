import ArgumentParser
import Domain
import JSON
import Storage
import Wire

/// `schedule show`: one schedule with its latest runs.
struct ScheduleShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one schedule and its latest runs.",
        discussion: "lamplighter schedule show s-0a1b2c3d4e5ff"
    )

    @Argument(help: "The schedule's id.")
    var id: String

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let schedule = try place.schedule(id)
        let (row, attrs, runs) = try place.store.read { tx in
            (
                try ScheduleView.json(schedule, in: tx),
                try ScheduleView.shownAttrs(schedule, in: tx),
                try tx.runs.newest(schedule.id, before: .max, limit: 20)
            )
        }
        if output.json {
            var object = row.objectValue ?? [:]
            object["runs"] = .array(runs.map { ScheduleCodec.encode($0) })
            return Terminal.show(.object(object))
        }
        let name = row.objectValue?["deviceName"]?.stringValue
        let device = DeviceView.text(schedule.did, name)
        print("\(schedule.id)  device \(device)  by \(schedule.creator)")
        print(
            "\(ScheduleView.days(schedule)) at \(schedule.timing.time)"
                + "   \(PlainText.of(schedule.timing.zone))"
                + "   misfire \(schedule.misfire.rawValue)"
        )
        print(schedule.isEnabled ? "next \(TimeText.of(schedule.nextAt))" : "disabled")
        print("sets \(Terminal.json(.object(attrs)))")
        if !schedule.remark.isEmpty { print("remark \(PlainText.of(schedule.remark))") }
        var table = TextTable(["DUE", "TAKEN UP", "STATE", "COMMAND", "ERROR"])
        for run in runs {
            table.add([
                TimeText.of(run.dueAt), TimeText.of(run.firedAt), run.state.rawValue,
                run.cid.map { "\($0)" } ?? "-",
                run.error?.rawValue ?? run.code.map { "\($0)" } ?? "-",
            ])
        }
        print("\n" + table.text)
    }
}
