import ArgumentParser
import Domain
import JSON
import Storage

/// `device list`: devices in the order of their ids.
struct DeviceListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the devices, in the order of their ids.",
        discussion: """
            lamplighter device list
            lamplighter device list --json
            """
    )

    @Option(help: "Only those of one product.")
    var product: String?

    @OptionGroup var most: LimitOption

    @Option(help: "Only ids behind this one: the last of the page before.")
    var after = ""

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let key = try product.map { try place.product($0).key }
        let (rows, total, isMore) = try place.store.read { tx in
            // One more than is shown tells whether there is a next page.
            let page = try tx.devices.page(after: after, product: key, limit: most.limit + 1)
            let rows = try page.prefix(most.limit).map { ($0, try tx.statuses.find($0.did)) }
            let total = try key.map { try tx.products.deviceCount($0) } ?? tx.devices.count()
            return (rows, total, page.count > most.limit)
        }
        if output.json { return Terminal.show(.array(rows.map { DeviceView.json($0, $1) })) }
        var table = TextTable(["DEVICE", "PRODUCT", "MAC", "ONLINE", "VERSION", "LAST SEEN"])
        for (device, status) in rows {
            table.add([
                device.did.text, device.productKey.text, device.mac.text,
                status?.status.presence.isOnline == true ? "yes" : "no",
                "\(status?.status.version ?? 0)",
                TimeText.of(status?.status.presence.lastSeenAt),
            ])
        }
        print(table.text)
        if isMore, let (last, _) = rows.last {
            Terminal.tell("\(rows.count) of \(total); the next: --after \(last.did)")
        }
    }
}

/// A device as the command line shows it.
enum DeviceView {
    /// Returns the device as JSON, without anything secret.
    static func json(_ device: DeviceRecord, _ status: StatusRecord?) -> JSONValue {
        let presence = status?.status.presence
        return .object([
            "did": .string(device.did.text),
            "productKey": .string(device.productKey.text), "mac": .string(device.mac.text),
            "online": .bool(presence?.isOnline ?? false),
            "version": .integer(status?.status.version ?? 0),
            "lastSeenAt": presence?.lastSeenAt.map { .integer($0.milliseconds) },
            "createdAt": .integer(device.createdAt.milliseconds),
            "registeredAt": device.registeredAt.map { .integer($0.milliseconds) },
        ])
    }
}
