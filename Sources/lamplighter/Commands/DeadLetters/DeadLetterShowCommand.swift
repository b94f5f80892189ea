import ArgumentParser
import JSON
import Sodium

/// `deadletter show`: one message with its payload.
struct DeadLetterShowCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one dead letter.",
        discussion: "lamplighter deadletter show 12"
    )
    static let operation = "showDeadLetter"

    @Argument(help: "Its id.")
    var id: Int64

    @OptionGroup(title: "Common options") var common: CommonOptions

    var path: [String: String] { ["letter": "\(id)"] }

    func show(_ answer: JSONObject, in place: CommandContext) {
        let row = answer.object("row")
        let isShape = row["isShapeOnly"]?.boolValue == true
        let note = isShape ? " (names and sizes only: the values may be secret)" : ""
        var details = [
            ("id", "\(id)"), ("time", row.moment("at")), ("worker", row.text("worker")),
            ("topic", row.text("topic")),
        ]
        if row["did"] != nil { details.append(("device", row.named("did", "deviceName"))) }
        details += [("reason", row.text("reason")), ("payload", "\(row.text("bytes")) bytes\(note)")]
        Terminal.show(details: details)
        // Anything else could steer the terminal.
        if let text = answer["text"]?.stringValue, PlainText.of(text) == text { return print(text) }
        let bytes = answer["text"]?.stringValue.map { Sodium.base64(Array($0.utf8)) }
        print("base64   " + (bytes ?? answer.text("base64")))
    }
}
