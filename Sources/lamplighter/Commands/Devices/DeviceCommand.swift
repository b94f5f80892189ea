import Domain
import JSON
import Storage

extension DeviceListCommand {
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
                Column("DEVICE", "did"), Column("NAME", "name"), Column("PRODUCT", "productKey"), Column("MAC", "mac"),
                Column("ONLINE", "online"), Column("VERSION", "version"), .moment("LAST SEEN", "since"),
                Column("TAGS") { $0.tags.joined(separator: ", ") },
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
    /// The tags in a device's row, written as operators type them.
    var tags: [String] {
        object("tags").members.map { tag in
            let value = tag.value.stringValue ?? ""
            return value.isEmpty ? tag.key : "\(tag.key)=\(value)"
        }
    }
}

extension DeviceShowCommand {
    /// The maximum number of commands to show.
    private static let commandsMax = 10

    var path: [String: String] { ["did": did] }

    func answer(in place: CommandContext) async throws -> JSONObject {
        var answer = try await place.run(Self.operation, path)
        answer["bindings"] = try await place.run("listDeviceUsers", path)["users"]
        let last = ["limit": "\(Self.commandsMax)"]
        answer["commands"] = try await place.run("listCommands", path, query: last)["items"]
        return answer
    }

    func show(_ answer: JSONObject, in place: CommandContext) {
        let row = answer.object("row")
        if let name = row["name"]?.stringValue { Terminal.show(plain: name) }
        Terminal.show(plain: "\(did)  \(row.text("productName"))  mac \(row.text("mac"))")
        if !row.tags.isEmpty { Terminal.show(plain: "tags: \(row.tags.joined(separator: ", "))") }
        print(
            (row["online"]?.boolValue == true ? "online" : "offline")
                + " since \(row.moment("since"))   version \(row.text("version"))"
                + "   registered \(row.moment("registeredAt"))"
        )
        let open = answer.objects("alerts").map { "\($0.text("kind")) \($0.text("name"))" }
        if !open.isEmpty { Terminal.show(plain: "open: \(open.joined(separator: ", "))") }
        let known = answer.objects("points").filter { $0["value"] != nil }
        print("")
        Terminal.show(known, [Column("ATTRIBUTE", "name"), Column("VALUE") { Terminal.json($0["value"] ?? .null) }])
        print("")
        let users = [Column("USER", "uid"), Column("ROLE", "role"), Column("SUBSCRIBED", "isSubscribed")]
        Terminal.show(answer.objects("bindings"), users)
        guard !answer.objects("commands").isEmpty else { return }
        print("")
        Terminal.show(
            answer.objects("commands"),
            [
                Column("COMMAND", "cid"),
                Column("STATE") { $0.text("state") + ($0["isLate"]?.boolValue == true ? ", late" : "") },
                .moment("AT", "createdAt"), .actor("BY", "actor"), Column("DATA", "data"),
            ]
        )
    }
}

extension CommandContext {
    /// Returns the device with the given id, or throws a `Problem`.
    func device(_ did: String) throws -> DeviceRecord { try find("device", did) { try $1.devices.find($0) } }
}

extension DeviceRecord {
    /// The device's id, followed by the name if operators have given one.
    var shown: String { name.isEmpty ? did.text : "\(did) \(PlainText.of(name))" }
}
