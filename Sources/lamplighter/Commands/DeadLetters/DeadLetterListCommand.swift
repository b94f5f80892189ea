import Domain
import ArgumentParser
import JSON
import Sodium
import Storage

/// `deadletter list`: the newest first.
struct DeadLetterListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List dead letters, the newest first.",
        discussion: "lamplighter deadletter list --limit 20"
    )

    @Option(help: "At most so many, 1 to 10000.")
    var limit = 100

    @Option(help: "Only those older than this id.")
    var before: Int64?

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else {
            throw ValidationError("--limit takes 1 to 10000, not \(limit)")
        }
    }

    func run() async throws {
        let store = try await CommandContext.open(settings).store
        let (letters, total, isMore) = try store.read { tx in
            // One more than is shown tells whether there is a next page.
            let page = try tx.deadLetters.page(before: before ?? .max, limit: limit + 1)
            return (Array(page.prefix(limit)), try tx.deadLetters.count(), page.count > limit)
        }
        if output.json { return Terminal.show(.array(letters.map { DeadLetterView.json($0) })) }
        var table = TextTable(["ID", "TIME", "WORKER", "BYTES", "TOPIC", "REASON"])
        for letter in letters {
            table.add([
                "\(letter.id)", TimeText.of(letter.at), letter.worker, "\(letter.payload.count)",
                letter.topic, letter.reason,
            ])
        }
        print(table.text)
        if isMore, let last = letters.last {
            Terminal.tell("\(letters.count) of \(total); the next: --before \(last.id)")
        } else if before == nil {
            Terminal.tell("\(letters.count) of \(total)")
        }
    }
}

/// A dead letter as the command line shows it.
enum DeadLetterView {
    /// Returns the letter as JSON; a payload that isn't UTF-8 is given as base64.
    static func json(_ letter: DeadLetter) -> JSONValue {
        let text = String(validating: letter.payload, as: UTF8.self)
        return .object([
            "id": .integer(letter.id), "worker": .string(letter.worker),
            "topic": .string(letter.topic), "reason": .string(letter.reason),
            "at": .integer(letter.at.milliseconds),
            "shapeOnly": .bool(letter.isShapeOnly),
            "payload": text.map { .string($0) },
            "payloadBase64": text == nil ? .string(Sodium.base64(letter.payload)) : nil,
        ])
    }
}
