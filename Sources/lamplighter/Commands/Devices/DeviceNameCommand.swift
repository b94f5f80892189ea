import ArgumentParser
import Domain
import JSON
import Problems
import Storage
import Workers

/// `device name`: the name that operators give a device.
struct DeviceNameCommand: AsyncParsableCommand {
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

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        var change = DeviceLabeling()
        change.name = name
        try place.label(try place.device(did), output) {
            try DeviceName.check(name)
            return change
        }
    }
}

/// `device tag`: the tags by which operators find a device.
struct DeviceTagCommand: AsyncParsableCommand {
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

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        try place.label(try place.device(did), output) {
            var change = DeviceLabeling()
            for text in tags { try Self.take(text, into: &change) }
            return change
        }
    }

    private static func take(_ text: String, into change: inout DeviceLabeling) throws {
        if text.hasSuffix("-"), !text.contains("=") {
            change.removed.insert(String(text.dropLast()))
            return
        }
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count > 1 ? String(parts[1]) : ""
        let tag = try DeviceTag(String(parts[0]), value, field: text)
        change.set[tag.name] = tag
    }
}

extension CommandContext {
    /// Changes a device's name or tags, notes it in the audit, and shows the new name and tags.
    fileprivate func label(
        _ device: DeviceRecord,
        _ output: OutputOptions,
        change: () throws -> DeviceLabeling
    ) throws {
        var shown = device
        do {
            let change = try change()
            let tags = try store.batch(at: SystemClock().now, once: true) { tx in
                try tx.lock(devices: [device.did])
                guard let former = try tx.devices.find(device.did) else { return [DeviceTag]() }
                let tags = try tx.devices.label(device.did, change)
                var entry = AuditEntry.act("labelDevice", subject: "device \(device.did)")
                shown.name = change.name ?? former.name
                entry.before = .object(DeviceView.labels(former.name, tags.before))
                entry.after = .object(DeviceView.labels(shown.name, tags.after))
                try tx.audit.add(entry)
                return tags.after
            }
            if output.json {
                var object = DeviceView.labels(shown.name, tags)
                object["did"] = .string(device.did.text)
                return Terminal.show(.object(object))
            }
            let texts =
                [DeviceView.text(device.did, shown.name)] + tags.map { PlainText.of($0.text) }
            print(texts.joined(separator: "  "))
        } catch let rejection as Rejection {
            throw Problem(
                .documentInvalid,
                "\(device.did) can't have that name or tag: \(rejection.message)",
                at: rejection.field ?? device.did.text,
                why: "names and tags are short texts for finding devices",
                cures: [.init("lamplighter device tag --help", "the form of a tag")]
            )
        }
    }
}
