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
        try find("schedule", id) {
            try $1.schedules.find($0)
        }
    }
}
