import ArgumentParser
import JSON
import Sodium
import Storage
import Workers

extension DeadLetterListCommand {
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

extension DeadLetterShowCommand {
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
        // A payload that isn't plain text is shown in base64. Control characters could change the state of the
        // terminal.
        if let text = answer["text"]?.stringValue, PlainText.of(text) == text { return print(text) }
        let bytes = answer["text"]?.stringValue.map { Sodium.base64(Array($0.utf8)) }
        print("base64   " + (bytes ?? answer.text("base64")))
    }
}

extension DeadLetterReplayCommand {
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

extension DeadLetterDropCommand {
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
