import Domain
import Storage
import ArgumentParser
import JSON

/// `product list`: all products.
struct ProductListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the products.",
        discussion: "lamplighter product list"
    )

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let rows = try place.store.read { tx in
            try tx.products.all().map { ($0, try tx.products.deviceCount($0.key)) }
        }
        if output.json {
            return Terminal.show(
                .array(
                    rows.map { product, count in
                        .object([
                            "productKey": .string(product.key.text),
                            "name": .string(product.name),
                            "registration": .string(product.registration.rawValue),
                            "dataPoints": .integer(Int64(product.dataPoints.count)),
                            "devices": .integer(count),
                        ])
                    }
                )
            )
        }
        var table = TextTable(["PRODUCT", "NAME", "REGISTRATION", "DATA POINTS", "DEVICES"])
        for (product, count) in rows {
            table.add([
                product.key.text, product.name, product.registration.rawValue,
                product.isFreeForm ? "free-form" : "\(product.dataPoints.count)", "\(count)",
            ])
        }
        print(table.text)
    }
}
