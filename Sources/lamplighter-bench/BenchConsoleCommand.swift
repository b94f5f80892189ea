import ArgumentParser
import Bench

/// `lamplighter-bench console`: the cost of open consoles.
struct BenchConsoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Measure how much three open consoles slow down reports.",
        discussion: """
            lamplighter-bench console
            """
    )

    @Option(help: "Devices that report.")
    var devices = 1000

    @Option(help: "Devices in the store.")
    var stored = 100_000

    @Option(help: "Rounds; results are medians.")
    var rounds = 7

    @Option(help: "Seconds of each measurement.")
    var seconds = 5.0

    @OptionGroup(title: "Common options") var output: BenchOutput

    func validate() throws {
        guard devices > 0, stored >= 0, rounds > 0, seconds >= 1 else {
            throw ValidationError(
                "--devices, --rounds and --seconds must be at least 1, --stored at least 0."
            )
        }
    }

    func run() async throws {
        var options = BenchConsoleOptions()
        options.devices = devices
        options.stored = stored
        options.rounds = rounds
        options.seconds = seconds
        try await output.finish { try await BenchConsole(options) { BenchOutput.tell($0) }.run() }
    }
}
