import Storage
import ArgumentParser
import JSON
import Service
import Workers

/// `product import`: stores a product document.
struct ProductImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import a product document; its secret is shown only once.",
        discussion: """
            lamplighter product import lamp.json

            If the document has no productKey, one is made and shown. A secret that it omits stays unchanged.
            """
    )

    @Argument(help: "A JSON file (schemas/generated/product.schema.json), or - for standard input.")
    var file: String

    @Flag(
        help:
            "Import even if stored values would no longer fit, or an open alert or fault would be lost."
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
