import ArgumentParser
import Files
import JSON
import Service

/// A command that runs a benchmark, and that has a property for each option.
protocol Benchmark: AsyncParsableCommand {
    var output: BenchOutput { get }

    /// Runs the measurements, which keep their files in the temporary folder `folder`.
    func measure(in folder: String) async throws -> BenchResult

    /// Returns the goals for a result.
    func goals(_ result: BenchResult) -> [BenchGoal]
}

extension Benchmark {
    func run() async throws { try await finish() }

    /// Measures the program, prints the result, and exits with code 1 if a goal is missed.
    ///
    /// - Throws: A `Problem`, `LoadError`, `MosquittoError` or `PostgresError`.
    func finish() async throws {
        FileLimit.raise()
        let folder = try BenchFolder.make()
        defer { BenchFolder.remove(folder) }
        var result = try await MeasuredProgram.$current.withValue(output.measured) { try await measure(in: folder) }
        result.goals = goals(result)
        if output.json { BenchOutput.show(result.json) } else { print(result.text) }
        if !result.isMet { throw ExitCode(1) }
    }

    /// Writes a line to standard error.
    func tell(_ text: String) { Benchmarks.tell(text) }
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
        for path in [measured.program, measured.gate] where !TextFile.exists(path) {
            throw ValidationError("There is no \(path); build it, or name another with --program.")
        }
    }

    var measured: MeasuredProgram { program.map { MeasuredProgram($0) } ?? .current }

    /// Prints a line of JSON.
    static func show(_ value: JSONValue) { print(String(decoding: value.encoded(), as: UTF8.self)) }
}
