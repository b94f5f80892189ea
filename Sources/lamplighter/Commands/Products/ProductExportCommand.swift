import ArgumentParser
import Domain
import JSON

/// `product export`: one product as the document that `import` takes, without its secret.
struct ProductExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print one product's document, without its secret.",
        discussion: "lamplighter product export 0123456789abcdef0123456789abcdef > lamp.json"
    )

    @Argument(help: "The product's key.")
    var key: String

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let product = try await CommandContext.open(settings).product(key)
        Terminal.show(.object(ProductCodec.encode(product)))
    }
}
