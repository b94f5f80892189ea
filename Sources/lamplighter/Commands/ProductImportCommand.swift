import ArgumentParser
import Domain
import JSON
import Service

/// `product import`: takes a product document into the store.
struct ProductImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import a product document; its secret is shown this once."
    )

    @Argument(help: "A JSON file (schemas/product.schema.json), or - for standard input.")
    var file: String

    @Flag(help: "Also where stored values of devices would not fit any more.")
    var force = false

    @OptionGroup var settings: SettingsOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let place = try await Workplace.open(settings)
        let result = try ProductImport.run(
            try DocumentFile.read(file),
            from: file,
            into: place.store,
            force: force
        )
        if output.json {
            return Terminal.show(
                .object(
                    JSONObject([
                        ("productKey", .string(result.product.key.text)),
                        ("name", .string(result.product.name)), ("isNew", .bool(result.isNew)),
                        ("productSecret", result.secret.map { .string($0) }),
                    ])
                )
            )
        }
        print(
            "\(result.isNew ? "imported" : "updated") \(result.product.key) \(result.product.name)"
        )
        if let secret = result.secret {
            print("secret \(secret)")
            Terminal.tell("Keep the secret now: no later command shows it.")
        }
    }
}
