import ArgumentParser
import JSON

/// `deadletter replay`: publishes a dead letter again to its topic, and removes it from the list.
struct DeadLetterReplayCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Publish a dead letter again, for example after an import that makes it valid.",
        discussion: """
            lamplighter product import lamp.json
            lamplighter deadletter replay 12
            """
    )
    static let operation = "replayDeadLetter"

    @Argument(help: "Its id.")
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
