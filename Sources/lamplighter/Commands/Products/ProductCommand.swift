import ArgumentParser

/// `product`: the kinds of devices that can register.
struct ProductCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "product",
        abstract: "Import and inspect products.",
        discussion: """
            lamplighter product import lamp.json
            lamplighter product list
            """,
        subcommands: [
            ProductImportCommand.self, ProductListCommand.self, ProductShowCommand.self,
            ProductExportCommand.self, ProductAllowCommand.self,
        ]
    )
}
