import ArgumentParser
import Bench
import Problems
import Service

/// The entry point of `lamplighter-bench`, with one command per benchmark.
@main
struct BenchMain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lamplighter-bench",
        abstract: "Measure Lamplighter on this machine.",
        discussion: """
            lamplighter-bench reports
            lamplighter-bench commands --program ../other/.build/release
            """,
        version: Version.text,
        subcommands: Benchmarks.commands
    )

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch let problem as Problem {
            Benchmarks.tell(problem.text)
            exit(withError: ExitCode(1))
        } catch {
            exit(withError: error)
        }
    }
}
