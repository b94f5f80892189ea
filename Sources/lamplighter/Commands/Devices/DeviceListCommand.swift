import ArgumentParser
import Console
import Domain
import JSON
import Storage
import Workers

/// `device list`: devices in the order of their ids.
struct DeviceListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the devices, in the order of their ids.",
        discussion: """
            lamplighter device list
            lamplighter device list --search "tag:floor=2 online:no"
            lamplighter device list --json

            A search has the same terms as in the console: tag:, name:, product:, online:, alert:, fault:, owner:, \
            seen:, registered:, and words, which match part of an id, MAC, name, tag or a user's name for it. \
            -tag:floor=2 excludes.
            """
    )

    @Option(help: "Only devices of one product.")
    var product: String?

    @Option(help: ArgumentHelp("Only devices that match a search.", valueName: "terms"))
    var search: String?

    @OptionGroup var most: LimitOption

    @Option(help: "Only ids after this one, the last of the previous page.")
    var after = ""

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let key = try product.map { try place.product($0).key }
        let terms = [key.map { "product:\"\($0)\"" }, search].compactMap(\.self)
        let (page, tags, total) = try place.store.read { tx in
            let page = try self.page(terms.joined(separator: " "), in: tx)
            let tags = try tx.devices.tags(of: page.found.map(\.device.did))
            return (
                page, tags, try key.map { try tx.products.deviceCount($0) } ?? tx.devices.count()
            )
        }
        if output.json {
            let rows = page.found.map {
                DeviceView.json($0.device, $0.status, tags: tags[$0.device.did])
            }
            return Terminal.show(.array(rows))
        }
        var table = TextTable([
            "DEVICE", "NAME", "PRODUCT", "MAC", "ONLINE", "VERSION", "LAST SEEN", "TAGS",
        ])
        for row in page.found {
            let (device, status) = (row.device, row.status.status)
            table.add([
                device.did.text, device.name, device.productKey.text, device.mac.text,
                status.presence.isOnline ? "yes" : "no", "\(status.version)",
                TimeText.of(status.presence.lastSeenAt),
                tags[device.did, default: []].map(\.text).joined(separator: ", "),
            ])
        }
        print(table.text)
        if let next = page.next {
            let part = search == nil ? "\(page.found.count) of \(total)" : "more"
            Terminal.tell("\(part); next page: --after \(next)")
        }
    }

    private func page(_ terms: String, in tx: Transaction) throws -> FoundDevices {
        do {
            let now = SystemClock().now
            return try FoundDevices(terms, after: after, limit: most.limit, at: now, in: tx)
        } catch let rejection as Rejection {
            throw ValidationError("--search: \(rejection.message)")
        }
    }
}

/// A device as the command line shows it.
enum DeviceView {
    /// Returns the device as JSON, without anything secret.
    static func json(
        _ device: DeviceRecord,
        _ status: StatusRecord?,
        tags: [DeviceTag]?
    ) -> JSONValue {
        let presence = status?.status.presence
        return .object([
            "did": .string(device.did.text), "name": labels(device.name, [])["name"],
            "tags": labels("", tags ?? [])["tags"],
            "productKey": .string(device.productKey.text), "mac": .string(device.mac.text),
            "online": .bool(presence?.isOnline ?? false),
            "version": .integer(status?.status.version ?? 0),
            "lastSeenAt": presence?.lastSeenAt.map { .integer($0.milliseconds) },
            "createdAt": .integer(device.createdAt.milliseconds),
            "registeredAt": device.registeredAt.map { .integer($0.milliseconds) },
        ])
    }

    /// Returns a device's name, if any, and its tags.
    static func labels(_ name: String, _ tags: [DeviceTag]) -> JSONObject {
        [
            "name": name.isEmpty ? nil : .string(name),
            "tags": .object(
                JSONObject(members: tags.map { .init(key: $0.name, value: .string($0.value)) })
            ),
        ]
    }

    /// Returns a device's id, with its name if any.
    static func text(_ did: DeviceID, _ name: String?) -> String {
        guard let name, !name.isEmpty else { return did.text }
        return "\(did) \(PlainText.of(name))"
    }
}

extension DeviceRecord {
    /// The id, with the operators' name if any.
    var shown: String { DeviceView.text(did, name) }
}
