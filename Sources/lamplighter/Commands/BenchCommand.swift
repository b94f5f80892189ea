import ArgumentParser
import Problems

/// `bench`: says where the measurements are.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Say where the measurements of this machine are.",
        discussion: "lamplighter bench"
    )

    @Argument(parsing: .allUnrecognized, help: "The words of a measurement.")
    var words: [String] = []

    func run() throws {
        throw Problem(
            .usage,
            "the measurements are a program of their own, lamplighter-bench",
            why: "they are not part of the package, nor of what deploy/run builds",
            cures: [
                .init(
                    (["deploy/bench"] + words).joined(separator: " "),
                    "in the sources: builds it, and runs it"
                )
            ]
        )
    }
}
