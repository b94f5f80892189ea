import ArgumentParser
import Domain
import JSON
import Storage

/// `schedule list`: schedules in the order of their creation.
struct ScheduleListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List schedules, of one device or of all.",
        discussion: "lamplighter schedule list"
    )

    @Option(help: "Only schedules of this device.")
    var device: String?

    @Option(help: "Only schedules after this one, the last of the previous page.")
    var after = ""

    @OptionGroup var most: LimitOption

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let did = try device.map { try place.device($0).did }
        let (schedules, rows, names) = try place.store.read { tx in
            let schedules = try tx.schedules.page(after: after, did: did, limit: most.limit)
            return (
                schedules, try schedules.map { try ScheduleView.json($0, in: tx) },
                try tx.devices.names(of: schedules.map(\.did))
            )
        }
        if output.json { return Terminal.show(.array(rows)) }
        var table = TextTable(["SCHEDULE", "DEVICE", "DAYS", "TIME", "ZONE", "NEXT", "REMARK"])
        for schedule in schedules {
            table.add([
                schedule.id.text, DeviceView.text(schedule.did, names[schedule.did]),
                ScheduleView.days(schedule),
                schedule.timing.time.description, schedule.timing.zone,
                schedule.isEnabled ? TimeText.of(schedule.nextAt) : "disabled", schedule.remark,
            ])
        }
        print(table.text)
        if schedules.count == most.limit, let last = schedules.last {
            Terminal.tell("more: --after \(last.id)")
        }
    }
}
