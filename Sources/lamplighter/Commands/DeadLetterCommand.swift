import ArgumentParser
import JSON
import Sodium
import Storage
import Workers

/// The commands `deadletter …`, which show, replay or delete dead letters.
struct DeadLetterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deadletter",
        abstract: "Inspect, replay or drop dead letters.",
        discussion: """
            lamplighter deadletter list
            lamplighter deadletter replay 12
            """,
        subcommands: [
            DeadLetterListCommand.self, DeadLetterShowCommand.self, DeadLetterReplayCommand.self,
            DeadLetterDropCommand.self,
        ]
    )
}

/// The command `deadletter list`, which shows the dead letters, the newest first.
struct DeadLetterListCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List dead letters, newest first.",
        discussion: "lamplighter deadletter list --limit 20"
    )
    static let operation = "listDeadLetters"

    @Option(help: "Maximum number of dead letters, 1 to 10000.")
    var limit = 100

    @Option(help: "Only dead letters with a smaller id than this.")
    var before: Int64?

    @OptionGroup(title: "Common options") var common: CommonOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit takes 1 to 10000, not \(limit)") }
    }

    var query: [String: String?] {
        ["limit": "\(limit)", "cursor": before.map { "\($0)" }]
    }

    func show(_ answer: JSONObject, in place: CommandContext) async throws {
        let rows = answer.items
        Terminal.show(
            rows,
            [
                Column("ID", "id"), .moment("TIME", "at"), Column("WORKER", "worker"), Column("BYTES", "bytes"),
                Column("TOPIC", "topic"), Column("DEVICE", "deviceName"), Column("REASON", "reason"),
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

/// The command `deadletter show`, which shows one dead letter with its payload.
struct DeadLetterShowCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one dead letter.",
        discussion: "lamplighter deadletter show 12"
    )
    static let operation = "showDeadLetter"

    @Argument(help: "The dead letter's id.")
    var id: Int64

    @OptionGroup(title: "Common options") var common: CommonOptions

    var path: [String: String] { ["letter": "\(id)"] }

    func show(_ answer: JSONObject, in place: CommandContext) {
        let row = answer.object("row")
        let isShape = row["isShapeOnly"]?.boolValue == true
        let note = isShape ? " (names and sizes only: the values may be secret)" : ""
        var details = [
            ("id", "\(id)"), ("time", row.moment("at")), ("worker", row.text("worker")), ("topic", row.text("topic")),
        ]
        if row["did"] != nil { details.append(("device", row.named("did", "deviceName"))) }
        details += [("reason", row.text("reason")), ("payload", "\(row.text("bytes")) bytes\(note)")]
        Terminal.show(details: details)
        // A payload that isn't plain text is shown in base64, since it could control the terminal.
        if let text = answer["text"]?.stringValue, PlainText.of(text) == text { return print(text) }
        let bytes = answer["text"]?.stringValue.map { Sodium.base64(Array($0.utf8)) }
        print("base64   " + (bytes ?? answer.text("base64")))
    }
}

/// The command `deadletter replay`, which publishes or posts a dead letter again and deletes it.
///
/// A message is published to its topic; a delivery to a webhook is posted to the webhook.
struct DeadLetterReplayCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Publish a dead letter again, for example after an import that makes it valid, or post a webhook's.",
        discussion: """
            lamplighter product import lamp.json
            lamplighter deadletter replay 12
            """
    )
    static let operation = "replayDeadLetter"

    @Argument(help: "The dead letter's id.")
    var id: Int64

    @OptionGroup(title: "Common options") var common: CommonOptions

    func answer(in place: CommandContext) async throws -> JSONObject {
        let path = ["letter": "\(id)"]
        let row = try await place.run("showDeadLetter", path).object("row")
        _ = try await place.run(Self.operation, path)
        return row
    }

    func show(_ answer: JSONObject, in place: CommandContext) {
        Terminal.show(plain: "replayed \(id) to \(answer.text("topic"))")
    }
}

/// The command `deadletter drop`, which deletes dead letters permanently.
struct DeadLetterDropCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop",
        abstract: "Drop dead letters.",
        discussion: "lamplighter deadletter drop 12 13"
    )

    @Argument(help: "The dead letters' ids.")
    var ids: [Int64] = []

    @Flag(help: "Drop all.")
    var all = false

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func validate() throws { guard all != !ids.isEmpty else { throw ValidationError("give ids, or --all") } }

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let (ids, all) = (ids, all)
        let dropped = try place.store.batch(at: SystemClock().now, once: true) { tx in
            if all { return try tx.deadLetters.dropAll() }
            return try ids.count { try tx.deadLetters.drop($0) }
        }
        if dropped == 0, let id = ids.first { throw place.missing("dead letter", "\(id)") }
        if output.json {
            Terminal.show(.object(["dropped": .integer(Int64(dropped))]))
        } else {
            print("dropped \(dropped)")
        }
    }
}
