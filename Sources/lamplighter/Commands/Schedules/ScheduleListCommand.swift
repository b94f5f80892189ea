import ArgumentParser
import JSON

/// `schedule list`: schedules in the order of their creation.
struct ScheduleListCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List schedules, of one device or of all.",
        discussion: "lamplighter schedule list"
    )
    static let operation = "listSchedules"

    @Option(help: "Only schedules of this device.")
    var device: String?

    @Option(help: "Only schedules after this one, the last of the previous page.")
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
