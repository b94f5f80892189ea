import ArgumentParser
import Bench

/// `lamplighter-bench schedules`: many commands at the same time, and their punctuality.
struct BenchSchedulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedules",
        abstract: "Measure schedules a second, the search for due schedules, and punctuality.",
        discussion: "lamplighter-bench schedules"
    )

    @Option(help: "Schedules that are due in the same minute.")
    var schedules = 100_000

    @Option(help: "Devices that they belong to, at least one per 100 schedules.")
    var devices = 1000

    @Option(help: "Schedules in the large store; the small one has 10,000.")
    var stored = 1_000_000

    @Option(help: "Minutes of light load whose triggers are timed.")
    var minutes = 2

    @Option(help: "Single commands a second, from `bench commands`, to compare with.")
    var commands = 0.0

    @OptionGroup(title: "Common options") var output: BenchOutput

    func run() async throws {
        var options = BenchSchedulesOptions()
        options.schedules = schedules
        options.devices = devices
        options.stored = stored
        options.minutes = minutes
        options.commands = commands
        try await output.finish { try await BenchSchedules(options) { BenchOutput.tell($0) }.run() }
    }
}
