import Domain
import ArgumentParser
import JSON
import Sodium
import ServiceSettings
import Storage
import Wire

/// `deadletter list`: the dead letters, newest first.
struct DeadLetterListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List dead letters, newest first.",
        discussion: "lamplighter deadletter list --limit 20"
    )

    @Option(help: "Maximum number of dead letters, 1 to 10000.")
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
        let place = try await CommandContext.open(settings)
        let (letters, total, isMore) = try place.store.read { tx in
            // One more than is shown, to find out whether there is a next page.
            let page = try tx.deadLetters.page(before: before ?? .max, limit: limit + 1)
            return (Array(page.prefix(limit)), try tx.deadLetters.count(), page.count > limit)
        }
        let devices = try place.devices(of: letters)
        if output.json {
            return Terminal.show(.array(zip(letters, devices).map { DeadLetterView.json($0, $1) }))
        }
        var table = TextTable(["ID", "TIME", "WORKER", "BYTES", "TOPIC", "DEVICE", "REASON"])
        for (letter, device) in zip(letters, devices) {
            table.add([
                "\(letter.id)", TimeText.of(letter.at), letter.worker, "\(letter.payload.count)",
                letter.topic, PlainText.of(device?.name ?? ""), letter.reason,
            ])
        }
        print(table.text)
        if isMore, let last = letters.last {
            Terminal.tell("\(letters.count) of \(total); next page: --before \(last.id)")
        } else if before == nil {
            Terminal.tell("\(letters.count) of \(total)")
        }
    }
}

/// A dead letter as the command line shows it.
enum DeadLetterView {
    /// Returns the letter as JSON; a payload that isn't UTF-8 is given as base64.
    static func json(_ letter: DeadLetter, _ device: CommandContext.NamedDevice?) -> JSONValue {
        let text = String(validating: letter.payload, as: UTF8.self)
        return .object([
            "id": .integer(letter.id), "worker": .string(letter.worker),
            "topic": .string(letter.topic), "reason": .string(letter.reason),
            "at": .integer(letter.at.milliseconds),
            "shapeOnly": .bool(letter.isShapeOnly),
            "did": device.map { .string($0.did.text) },
            "deviceName": device?.name.map { .string($0) },
            "payload": text.map { .string($0) },
            "payloadBase64": text == nil ? .string(Sodium.base64(letter.payload)) : nil,
        ])
    }
}

extension CommandContext {
    /// A device with the operators' name for it.
    typealias NamedDevice = (did: DeviceID, name: String?)

    /// Returns the device that each dead letter's topic names, if any.
    func devices(of letters: [DeadLetter]) throws -> [NamedDevice?] {
        let topics = Topics(root: settings.root)
        let dids = letters.map { topics.device(of: $0.topic) }
        let names = try store.read { try $0.devices.names(of: dids.compactMap(\.self)) }
        return dids.map { $0.map { ($0, names[$0]) } }
    }
}
