import ArgumentParser
import JSON

/// `deadletter list`: the dead letters, newest first.
struct DeadLetterListCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List dead letters, newest first.",
        discussion: "lamplighter deadletter list --limit 20"
    )
    static let operation = "listDeadLetters"

    @Option(help: "Maximum number of dead letters, 1 to 10000.")
    var limit = 100

    @Option(help: "Only those older than this id.")
    var before: Int64?

    @OptionGroup(title: "Common options") var common: CommonOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else {
            throw ValidationError("--limit takes 1 to 10000, not \(limit)")
        }
    }

    var query: [String: String?] {
        ["limit": "\(limit)", "cursor": before.map { "\($0)" }]
    }

    func show(_ answer: JSONObject, in place: CommandContext) async throws {
        let rows = answer.items
        Terminal.show(
            rows,
            [
                Column("ID", "id"), .moment("TIME", "at"), Column("WORKER", "worker"),
                Column("BYTES", "bytes"), Column("TOPIC", "topic"), Column("DEVICE", "deviceName"),
                Column("REASON", "reason"),
            ]
        )
        let counts = try await place.run("countDeadLetters").items
        let total = counts.map { $0.integer("count") }.reduce(0, +)
        if let next = answer["next"]?.stringValue {
            Terminal.tell("\(rows.count) of \(total); next page: --before \(next)")
        } else if before == nil {
            Terminal.tell("\(rows.count) of \(total)")
        }
    }
}
