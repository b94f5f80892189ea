import ArgumentParser
import Bench
import Foundation
import JSON
import Problems
import Service

/// The entry point of `lamplighter-bench`: measurements of this machine, each a command.
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
        subcommands: [
            BenchReportsCommand.self, BenchCommandsCommand.self, BenchAccountsCommand.self,
            BenchSchedulesCommand.self, BenchHistoryCommand.self, BenchGateCommand.self,
            BenchClusterCommand.self, BenchConsoleCommand.self, BenchConsumeCommand.self,
        ]
    )

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let problem as Problem {
            BenchOutput.tell(problem.text)
            exit(withError: ExitCode(1))
        } catch {
            exit(withError: error)
        }
    }
}

/// The options that all benchmarks share.
struct BenchOutput: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The program to measure, or its folder, with the gate next to it (default: next to lamplighter-bench).",
            valueName: "path"
        )
    )
    var program: String?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        let measured = measured
        for path in [measured.program, measured.gate]
        where !FileManager.default.fileExists(atPath: path) {
            throw ValidationError(
                "\(path) does not exist; build it, or name another with --program."
            )
        }
    }

    private var measured: MeasuredProgram {
        program.map { MeasuredProgram($0) } ?? MeasuredProgram.current
    }

    /// Runs a benchmark of the named program and prints its result; the exit code is 1 if a goal is
    /// missed.
    func finish<Outcome: BenchOutcome>(_ run: () async throws -> Outcome) async throws {
        let result = try await MeasuredProgram.$current.withValue(measured) { try await run() }
        if json { Self.show(result.json) } else { print(result.text) }
        if !result.isMet { throw ExitCode(1) }
    }

    /// Writes a line to standard error.
    @Sendable
    static func tell(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

    /// Prints a line of JSON.
    static func show(_ value: JSONValue) { print(String(decoding: value.encoded(), as: UTF8.self)) }
}
