import ArgumentParser
import Domain
import JSON
import Storage
import Wire

/// `schedule`: commands that devices get at certain times.
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
    /// Finds a schedule by its id.
    func schedule(_ id: String) throws -> Schedule {
        try find("schedule", id, why: "no schedule with that id was made, or it was deleted") {
            try $1.schedules.find($0)
        }
    }
}

/// The form of schedules on the command line.
enum ScheduleView {
    /// Returns a schedule as JSON, in the apps' form, with the name of its device.
    static func json(_ schedule: Schedule, in tx: Transaction) throws -> JSONValue {
        var object = ScheduleCodec.encode(schedule, attrs: try shownAttrs(schedule, in: tx))
        let name = try tx.devices.names(of: [schedule.did])[schedule.did]
        object["deviceName"] = name.map { .string($0) }
        return .object(object)
    }

    /// Returns the values to set, without values of write-only data points.
    static func shownAttrs(_ schedule: Schedule, in tx: Transaction) throws -> JSONObject {
        let key = try tx.statuses.find(schedule.did)?.productKey
        let product = try key.flatMap { try tx.products.find($0) }
        return ProductRules.masked(schedule.attrs, product: product)
    }

    /// Returns the days in words.
    static func days(_ schedule: Schedule) -> String {
        let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        switch schedule.timing.days {
        case .once(let date): return date.description
        case .weekly(let days): return days.map { names[Int($0) - 1] }.joined(separator: ",")
        case .monthly(let days): return "day " + days.map { "\($0)" }.joined(separator: ",")
        }
    }
}
