import Problems

extension BenchCommand {
    func run() throws {
        throw Problem(
            .usage,
            "the measurements are a separate program, lamplighter-bench",
            why: "it is not part of the package, nor built by deploy/run",
            cures: [.init((["deploy/bench"] + words).joined(separator: " "), "in the source tree: builds and runs it")]
        )
    }
}
