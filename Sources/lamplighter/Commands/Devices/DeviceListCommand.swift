import ArgumentParser
import JSON

/// `device list`: devices in the order of their ids.
struct DeviceListCommand: OperationCommand {
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
    static let operation = "listDevices"

    @Option(help: "Only devices of one product.")
    var product: String?

    @Option(help: ArgumentHelp("Only devices that match a search.", valueName: "terms"))
    var search: String?

    @OptionGroup var most: LimitOption

    @Option(help: "Only ids after this one, the last of the previous page.")
    var after = ""

    @OptionGroup(title: "Common options") var common: CommonOptions

    private var products: [String] { product.map { ["product:\"\($0)\""] } ?? [] }

    var query: [String: String?] {
        let terms = products + [search].compactMap(\.self)
        return ["query": terms.joined(separator: " "), "limit": "\(most.limit)", "cursor": after]
    }

    func answer(in place: CommandContext) async throws -> JSONObject {
        if let product { _ = try place.product(product) }
        return try await place.run(Self.operation, query: query)
    }

    func show(_ answer: JSONObject, in place: CommandContext) async throws {
        Terminal.show(
            answer.items,
            [
                Column("DEVICE", "did"), Column("NAME", "name"), Column("PRODUCT", "productKey"),
                Column("MAC", "mac"), Column("ONLINE", "online"), Column("VERSION", "version"),
                .moment("LAST SEEN", "since"), Column("TAGS") { $0.tags.joined(separator: ", ") },
            ]
        )
        guard let next = answer["next"]?.stringValue else { return }
        var part = "more"
        if search == nil {
            let counts = try await place.run("countDevices", query: ["query": products.first])
            part = "\(answer.items.count) of \(counts.integer("all"))"
        }
        Terminal.tell("\(part); next page: --after \(next)")
    }
}

extension JSONObject {
    /// The tags of a device's row, as they are typed.
    var tags: [String] {
        object("tags").members.map { tag in
            let value = tag.value.stringValue ?? ""
            return value.isEmpty ? tag.key : "\(tag.key)=\(value)"
        }
    }
}
