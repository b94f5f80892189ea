import ArgumentParser
import Files
import Problems
import Sodium
import Storage

/// `deadletter show`: one message with its payload.
struct DeadLetterShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one dead letter.",
        discussion: "lamplighter deadletter show 12"
    )

    @Argument(help: "Its id.")
    var id: Int64

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let letter = try place.deadLetter(id)
        let device = try place.devices(of: [letter])[0]
        if output.json { return Terminal.show(DeadLetterView.json(letter, device)) }
        print("id       \(letter.id)")
        print("time     \(TimeText.of(letter.at))")
        print("worker   \(PlainText.of(letter.worker))")
        print("topic    \(PlainText.of(letter.topic))")
        if let device { print("device   \(DeviceView.text(device.did, device.name))") }
        print("reason   \(PlainText.of(letter.reason))")
        let note = letter.isShapeOnly ? " (names and sizes only: the values may be secret)" : ""
        print("payload  \(letter.payload.count) bytes\(note)")
        let text = String(validating: letter.payload, as: UTF8.self)
        // Anything else could steer the terminal.
        let isPlain = text.map { PlainText.of($0) == $0 } ?? false
        print(isPlain ? text ?? "" : "base64   " + Sodium.base64(letter.payload))
    }
}

extension CommandContext {
    /// Finds a dead letter by its id.
    func deadLetter(_ id: Int64) throws -> DeadLetter {
        if let letter = try store.read({ try $0.deadLetters.find(id) }) { return letter }
        throw noDeadLetter(id)
    }

    /// Returns the error for a dead letter that doesn't exist.
    func noDeadLetter(_ id: Int64) -> Problem {
        Problem(
            .notFound,
            "there is no dead letter \(id)",
            at: "\(id)",
            why: "it was dropped, replayed, or displaced by newer ones",
            cures: [
                .init("lamplighter deadletter list --data '\(directory.path)'", "the existing ones")
            ]
        )
    }
}
