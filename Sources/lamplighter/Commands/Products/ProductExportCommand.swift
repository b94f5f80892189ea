import ArgumentParser
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

    @OptionGroup(title: "Common options") var common: CommonOptions

    func run() async throws {
        let place = try await CommandContext.open(common.settings)
        let product = try await place.run("showProduct", ["productKey": key])
        Terminal.show(.object(product.object("document")))
    }
}
