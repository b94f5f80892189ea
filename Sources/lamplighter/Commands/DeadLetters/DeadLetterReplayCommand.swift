import ArgumentParser
import JSON
import Problems
import Service
import Storage
import Workers

/// `deadletter replay`: publishes a dead letter again to its topic, and removes it from the list.
struct DeadLetterReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Publish a dead letter again, for example after an import that makes it valid.",
        discussion: """
            lamplighter product import lamp.json
            lamplighter deadletter replay 12
            """
    )

    @Argument(help: "Its id.")
    var id: Int64

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let letter = try place.deadLetter(id)
        guard !letter.isShapeOnly else {
            throw Problem(
                .conflict,
                "dead letter \(id) can't be replayed",
                at: "\(id)",
                why: "only its names and sizes were kept, since its values may be secret"
            )
        }
        try ToolClient(place.directory, place.settings).replay(letter)
        _ = try place.store.batch(at: SystemClock().now) { try $0.deadLetters.drop(id) }
        if output.json {
            Terminal.show(
                .object(["id": .integer(id), "topic": .string(letter.topic)])
            )
        } else {
            print("replayed \(id) to \(PlainText.of(letter.topic))")
        }
    }
}
