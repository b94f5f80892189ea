import ArgumentParser
import Domain
import JSON
import Storage
import Wire

/// `device show`: one device with its state, its users, and its last commands.
struct DeviceShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one device: state, alerts, users, last commands.",
        discussion: "lamplighter device show d-0123456789abc"
    )

    @Argument(help: "The device's id.")
    var did: String

    /// The number of commands shown.
    private static let commandsMax = 10

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let device = try place.device(did)
        let (status, product, bindings, commands, tags) = try place.store.read { tx in
            (
                try tx.statuses.find(device.did), try tx.products.find(device.productKey),
                try tx.bindings.all(of: device.did),
                try tx.commands.newest(device.did, limit: Self.commandsMax),
                try tx.devices.tags(of: [device.did])[device.did] ?? []
            )
        }
        let data = JSONObject(
            members: (status?.status.attributes ?? []).map { .init(key: $0.name, value: $0.value) }
        )
        let shown = ProductRules.masked(data, product: product)
        let open = (status?.status.open ?? []).map { "\($0.kind.rawValue) \($0.name)" }
        if output.json {
            var object = DeviceView.json(device, status, tags: tags).objectValue ?? [:]
            object["data"] = .object(shown)
            object["open"] = .array(open.map(JSONValue.string))
            object["hardware"] = .object(device.hardware)
            object["bindings"] = .array(bindings.map(Self.json))
            object["commands"] = .array(
                commands.map { .object(CommandCodec.object($0, product: product, for: nil)) }
            )
            return Terminal.show(.object(object))
        }
        if !device.name.isEmpty { print(PlainText.of(device.name)) }
        print("\(device.did)  \(PlainText.of(product?.name ?? "?"))  mac \(device.mac)")
        if !tags.isEmpty {
            print("tags: \(PlainText.of(tags.map(\.text).joined(separator: ", ")))")
        }
        let presence = status?.status.presence
        print(
            "\(presence?.isOnline == true ? "online" : "offline")"
                + " since \(TimeText.of(presence?.lastSeenAt))"
                + "   version \(status?.status.version ?? 0)"
                + "   registered \(TimeText.of(device.registeredAt))"
        )
        if !open.isEmpty { print("open: \(PlainText.of(open.joined(separator: ", ")))") }
        var table = TextTable(["ATTRIBUTE", "VALUE"])
        for member in shown.members {
            table.add([member.key, String(decoding: member.value.encoded(), as: UTF8.self)])
        }
        print("\n" + table.text)
        var people = TextTable(["USER", "ROLE", "SUBSCRIBED"])
        for binding in bindings {
            people.add([
                binding.uid.text, binding.role.rawValue, binding.isSubscribed ? "yes" : "no",
            ])
        }
        print("\n" + people.text)
        guard !commands.isEmpty else { return }
        var last = TextTable(["COMMAND", "STATE", "AT", "BY", "DATA"])
        for command in commands {
            let data = ProductRules.masked(command.data, product: product)
            last.add([
                "\(command.cid)", command.state.rawValue + (command.isLate ? ", late" : ""),
                TimeText.of(command.createdAt),
                "\(command.actor.kind.rawValue) \(command.actor.id)",
                String(decoding: data.encoded(), as: UTF8.self),
            ])
        }
        print("\n" + last.text)
    }

    private static func json(_ binding: Binding) -> JSONValue {
        .object([
            "uid": .string(binding.uid.text), "role": .string(binding.role.rawValue),
            "subscribed": .bool(binding.isSubscribed),
        ])
    }
}

extension CommandContext {
    /// Finds a device by its id.
    func device(_ did: String) throws -> DeviceRecord {
        try find("device", did, why: "no device with that id has registered") {
            try $1.devices.find($0)
        }
    }
}
