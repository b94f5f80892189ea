import ArgumentParser
import Bench

/// `lamplighter-bench commands`: the round trips of commands.
struct BenchCommandsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commands",
        abstract:
            "Measure commands' round trips against the bare broker, and next to a device with many users.",
        discussion: "lamplighter-bench commands"
    )

    @Option(help: "Devices that receive commands.")
    var devices = 100

    @Option(help: "Users bound to one additional device.")
    var users = 1000

    @Option(help: "Commands a second.")
    var rate = 200.0

    @Option(help: "Rounds; results are medians.")
    var rounds = 3

    @Option(help: "Seconds of each measurement.")
    var seconds = 5.0

    @OptionGroup(title: "Common options") var output: BenchOutput

    func validate() throws {
        guard devices > 0, users > 0, rate > 0, rounds > 0, seconds > 0 else {
            throw ValidationError("every number must be greater than 0")
        }
    }

    func run() async throws {
        var options = BenchCommandsOptions()
        options.devices = devices
        options.users = users
        options.rate = rate
        options.rounds = rounds
        options.seconds = seconds
        try await output.finish { try await BenchCommands(options) { BenchOutput.tell($0) }.run() }
    }
}
