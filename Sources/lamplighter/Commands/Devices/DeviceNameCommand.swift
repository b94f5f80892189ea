import ArgumentParser
import Domain
import JSON
import Problems

/// The command `device name`, which sets the name that operators give a device.
struct DeviceNameCommand: LabelCommand {
    static let configuration = CommandConfiguration(
        commandName: "name",
        abstract: "Name a device, for operators; its users keep their own names for it.",
        discussion: """
            lamplighter device name d-0123456789abc "Hall, second floor"
            lamplighter device name d-0123456789abc ""   removes the name
            """
    )

    @Argument(help: "The device's id.")
    var did: String

    @Argument(
        help: "The name, at most \(DeviceName.lengthMax) characters; an empty one removes it."
    )
    var name: String

    @OptionGroup(title: "Common options") var common: CommonOptions

    var body: JSONObject { ["name": .string(name)] }
}

/// The command `device tag`, which changes the tags by which operators find a device.
struct DeviceTagCommand: LabelCommand {
    static let configuration = CommandConfiguration(
        commandName: "tag",
        abstract: "Add tags to a device, or remove them; search for them with `tag:floor=2`.",
        discussion: """
            lamplighter device tag d-0123456789abc floor=2 spare
            lamplighter device tag d-0123456789abc spare-   removes the tag
            lamplighter device list --search tag:floor=2
            """
    )

    @Argument(help: "The device's id.")
    var did: String

    @Argument(
        help: ArgumentHelp(
            "Tags to set, with or without a value; a tag followed by - is removed.",
            valueName: "name=value"
        )
    )
    var tags: [String]

    @OptionGroup(title: "Common options") var common: CommonOptions

    var body: JSONObject {
        var given: JSONObject = [:]
        for text in tags {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 1, text.hasSuffix("-") {
                given[String(text.dropLast())] = .null
            } else {
                given[String(parts[0])] = .string(parts.count > 1 ? String(parts[1]) : "")
            }
        }
        return ["tags": .object(given)]
    }
}

/// A command that changes a device's name or tags.
protocol LabelCommand: OperationCommand {
    /// The device's id.
    var did: String { get }
}

extension LabelCommand {
    static var operation: String { "labelDevice" }
    var path: [String: String] { ["did": did] }

    func answer(in place: CommandContext) async throws -> JSONObject {
        do {
            return try await place.run(Self.operation, path, body: body, isNoted: true)
        } catch let rejection as Rejection {
            throw Problem(
                .documentInvalid,
                "\(did) can't have that name or tag: \(rejection.message)",
                at: rejection.field ?? did,
                why: "names and tags are short texts for finding devices",
                cures: [.init("lamplighter device tag --help", "the form of a tag")]
            )
        }
    }

    func show(_ answer: JSONObject, in place: CommandContext) {
        let texts = [answer.named("did", "name")] + answer.tags.map { PlainText.of($0) }
        print(texts.joined(separator: "  "))
    }
}
