import ArgumentParser
import Problems

/// The command `bench`, which says where the measurements are.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Show how to run the measurements.",
        discussion: "lamplighter bench"
    )

    @Argument(parsing: .allUnrecognized, help: "The measurement and its options.")
    var words: [String] = []

    func run() throws {
        throw Problem(
            .usage,
            "the measurements are a separate program, lamplighter-bench",
            why: "it is not part of the package, nor built by deploy/run",
            cures: [.init((["deploy/bench"] + words).joined(separator: " "), "in the source tree: builds and runs it")]
        )
    }
}
