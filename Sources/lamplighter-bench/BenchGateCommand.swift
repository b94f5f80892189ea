import ArgumentParser
import Bench

/// `lamplighter-bench gate`: measures the cost of the limits.
struct BenchGateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate",
        abstract: "Measure the cost of counting a message against the limits.",
        discussion: "lamplighter-bench gate"
    )

    @Option(help: "Messages of each kind.")
    var messages = 20_000_000

    @OptionGroup(title: "Common options") var output: BenchOutput

    func validate() throws {
        guard messages > 0 else { throw ValidationError("--messages must be at least 1.") }
    }

    func run() async throws {
        try await output.finish { BenchGate(messages: messages).run() }
    }
}
