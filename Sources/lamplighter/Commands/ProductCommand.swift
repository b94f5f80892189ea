import Domain
import JSON
import Service
import Storage
import Workers

extension ProductImportCommand {
    func run() async throws {
        let place = try await CommandContext.open(settings)
        let document = try DocumentFile.read(file)
        let result = try DocumentFile.importing(file) {
            try place.store.batch(at: SystemClock().now, once: true) { tx in
                try Import.product(.object(document), isForced: force, in: tx)
            }
        }
        output.show(result, of: "product", id: "productKey", secret: "productSecret")
        if document["productKey"] == nil {
            Terminal.tell(
                "Put \"productKey\": \"\(result.id)\" into the document: without it, the next import makes another product."
            )
        }
    }
}

extension ProductListCommand {
    static let columns = [
        Column("PRODUCT", "productKey"), Column("NAME", "name"),
        Column("REGISTRATION", "registration"),
        Column("DATA POINTS") {
            $0.integer("points") == 0 ? "free-form" : $0.text("points")
        },
        Column("DEVICES", "devices"),
    ]
}

extension ProductShowCommand {
    var path: [String: String] { ["productKey": key] }

    func show(_ answer: JSONObject, in place: CommandContext) {
        let (row, document) = (answer.object("row"), answer.object("document"))
        let days = document["historyDays"] == nil ? "as set" : "\(document.text("historyDays")) days"
        Terminal.show(plain: "\(key)  \(row.text("name"))")
        print(
            "registration \(row.text("registration"))   reset \(row.text("reset"))"
                + "   remote bind \(row.text("remoteBind"))   history \(days)"
        )
        Terminal.show(plain: "alerts \(document.text("alerts"))")
        Terminal.show(plain: "faults \(document.text("faults"))")
        print("")
        Terminal.show(
            answer.objects("points").map { $0.object("point") },
            [
                Column("DATA POINT", "name"), Column("ACCESS", "access"), Column("TYPE", "kind"),
                Column("RANGE", Self.range), Column("UNIT", "unit"),
            ]
        )
    }

    private static func range(of point: JSONObject) -> String {
        if let values = point["values"]?.arrayValue { return values.compactMap(\.stringValue).joined(separator: " ") }
        if point["maxLength"] != nil {
            let unit = point.text("kind") == "raw" ? "bytes" : "characters"
            return "up to \(point.text("maxLength")) \(unit)"
        }
        guard point["min"] != nil || point["max"] != nil else { return "-" }
        return ["min", "max"].map { point[$0] == nil ? "" : point.text($0) }
            .joined(separator: " … ")
    }
}

extension CommandContext {
    /// Returns the product with the given key, or throws a `Problem`.
    func product(_ key: String) throws -> Product { try find("product", key) { try $1.products.find($0) } }
}

extension ProductExportCommand {
    func run() async throws {
        let place = try await CommandContext.open(common.settings)
        let product = try await place.run("showProduct", ["productKey": key])
        Terminal.show(.object(product.object("document")))
    }
}

extension ProductAllowCommand {
    var path: [String: String] { ["productKey": key] }
    var body: JSONObject { ["macs": .array(macs.map(JSONValue.string))] }

    func show(_ answer: JSONObject, in place: CommandContext) throws {
        let name = PlainText.of(try place.product(key).name)
        print("listed \(answer.text("count")) for \(name)")
    }
}
