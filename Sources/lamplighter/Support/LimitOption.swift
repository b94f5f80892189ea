import ArgumentParser

/// The option `--limit` of the commands that list rows.
struct LimitOption: ParsableArguments {
    @Option(help: "Maximum number of entries, 1 to 1000.")
    var limit = 100

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit takes 1 to 1000, not \(limit)") }
    }
}
