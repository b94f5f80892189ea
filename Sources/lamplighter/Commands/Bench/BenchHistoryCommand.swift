import ArgumentParser
import Bench

/// `bench history`: whether a long past makes a day's page slower.
struct BenchHistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Measure a day's page of a device with a long history against one with a day.",
        discussion: """
            lamplighter bench history
            """
    )

    @Option(help: "Records of the device with the long history.")
    var records = 10_000_000

    @Option(help: "Queries of each kind to each device.")
    var questions = 100

    @OptionGroup(title: "Common options") var output: OutputOptions

    func validate() throws {
        guard records >= 10_000, questions > 0 else {
            throw ValidationError("--records is at least 10000, --questions at least 1.")
        }
    }

    func run() async throws {
        var options = BenchHistoryOptions()
        options.records = records
        options.questions = questions
        let result = try BenchHistory(options) { Terminal.tell($0) }.run()
        if output.json { Terminal.show(result.json) } else { print(result.text) }
        if !result.isMet { throw ExitCode(1) }
    }
}
