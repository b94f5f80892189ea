import ArgumentParser
import Bench

/// `bench limits`: the cost of the limits of each connection for clients below them.
struct BenchLimitsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limits",
        abstract: "Measure reports and commands with the limits of connections, and without.",
        discussion: "lamplighter bench limits"
    )

    @Option(help: "Devices that report and are commanded.")
    var devices = BenchLimitsOptions().devices

    @Option(help: "App terminals that read and command.")
    var terminals = BenchLimitsOptions().terminals

    @Option(help: "Rounds; the median of their ratios counts.")
    var rounds = BenchLimitsOptions().rounds

    @Option(help: "Seconds of each measurement.")
    var seconds = BenchLimitsOptions().seconds

    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        var options = BenchLimitsOptions()
        options.devices = devices
        options.terminals = terminals
        options.rounds = rounds
        options.seconds = seconds
        let result = try await BenchLimits(options) { Terminal.tell($0) }.run()
        try output.finish(result)
    }
}
