import ArgumentParser
import Domain
import JSON
import Service
import Storage
import Workers

/// The commands `product …` about the kinds of devices that can register.
struct ProductCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "product",
        abstract: "Import and inspect products.",
        discussion: """
            lamplighter product import lamp.json
            lamplighter product list
            """,
        subcommands: [
            ProductImportCommand.self, ProductListCommand.self, ProductShowCommand.self, ProductExportCommand.self,
            ProductAllowCommand.self,
        ]
    )
}

/// The command `product import`, which stores a product document.
struct ProductImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import a product document; its secret is shown only once.",
        discussion: """
            lamplighter product import lamp.json

            If the document has no productKey, one is made and shown. A secret that it omits stays unchanged.
            """
    )

    @Argument(help: "A JSON file (schemas/generated/product.schema.json), or - for standard input.") var file: String

    @Flag(
        help:
            "Import even if stored values might no longer fit, or an open alert or fault would be lost."
    )
    var force = false

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

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

/// The command `product list`, which shows all products.
struct ProductListCommand: ListCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the products.",
        discussion: "lamplighter product list"
    )
    static let operation = "listProducts"

    @OptionGroup(title: "Common options") var common: CommonOptions

    static let columns = [
        Column("PRODUCT", "productKey"), Column("NAME", "name"),
        Column("REGISTRATION", "registration"),
        Column("DATA POINTS") {
            $0.integer("points") == 0 ? "free-form" : $0.text("points")
        },
        Column("DEVICES", "devices"),
    ]
}

/// The command `product show`, which shows one product with its data points.
struct ProductShowCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one product.",
        discussion: "lamplighter product show 0123456789abcdef0123456789abcdef"
    )
    static let operation = "showProduct"

    @Argument(help: "The product's key.")
    var key: String

    @OptionGroup(title: "Common options") var common: CommonOptions

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
    /// Returns the product with a key, or throws a `Problem` if there is none.
    func product(_ key: String) throws -> Product { try find("product", key) { try $1.products.find($0) } }
}

/// The command `product export`, which prints a product as a document for `product import`, without the secret.
struct ProductExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print one product's document, without its secret.",
        discussion: "lamplighter product export 0123456789abcdef0123456789abcdef > lamp.json"
    )

    @Argument(help: "The product's key.")
    var key: String

    @OptionGroup(title: "Common options") var common: CommonOptions

    func run() async throws {
        let place = try await CommandContext.open(common.settings)
        let product = try await place.run("showProduct", ["productKey": key])
        Terminal.show(.object(product.object("document")))
    }
}

/// The command `product allow`, which lets MACs register with a product whose registration is `listed`.
struct ProductAllowCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "allow",
        abstract: "Allow MACs to register with a product whose devices are listed.",
        discussion: "lamplighter product allow 0123456789abcdef0123456789abcdef a1b2c3d4e5f6"
    )
    static let operation = "allowMacs"

    @Argument(help: "The product's key.")
    var key: String

    @Argument(help: "MACs: 12 lowercase hex digits, or 15 digits of an IMEI.")
    var macs: [String]

    @OptionGroup(title: "Common options") var common: CommonOptions

    var path: [String: String] { ["productKey": key] }
    var body: JSONObject { ["macs": .array(macs.map(JSONValue.string))] }

    func show(_ answer: JSONObject, in place: CommandContext) throws {
        let name = PlainText.of(try place.product(key).name)
        print("listed \(answer.text("count")) for \(name)")
    }
}
