import ArgumentParser
import Domain
import JSON
import Storage

/// `product show`: one product's data points.
struct ProductShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one product.",
        discussion: "lamplighter product show 0123456789abcdef0123456789abcdef"
    )

    @Argument(help: "The product's key.")
    var key: String

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let product = try await CommandContext.open(settings).product(key)
        if output.json { return Terminal.show(.object(ProductCodec.encode(product))) }
        print("\(product.key)  \(PlainText.of(product.name))")
        print(
            "registration \(product.registration.rawValue)   reset \(product.reset.rawValue)"
                + "   remote bind \(product.remoteBind.rawValue)"
                + "   history \(product.historyDays.map { "\($0) days" } ?? "as set")"
        )
        print("alerts \(PlainText.of(product.alerts.joined(separator: ", ")))")
        print("faults \(PlainText.of(product.faults.joined(separator: ", ")))\n")
        var table = TextTable(["DATA POINT", "ACCESS", "TYPE", "RANGE", "UNIT"])
        for point in product.dataPoints {
            table.add([
                point.name, point.access.rawValue, point.kind.rawValue, Self.range(of: point),
                point.unit ?? "-",
            ])
        }
        print(table.text)
    }

    private static func range(of point: DataPoint) -> String {
        if !point.values.isEmpty { return point.values.joined(separator: " ") }
        if let length = point.maxLength {
            return "up to \(length) \(point.kind == .raw ? "bytes" : "characters")"
        }
        if point.min == nil && point.max == nil { return "-" }
        return "\(point.min.map { "\($0)" } ?? "") … \(point.max.map { "\($0)" } ?? "")"
    }
}

extension CommandContext {
    /// Finds a product by its key.
    func product(_ key: String) throws -> Product {
        try find("product", key, why: "no product with that key was imported") {
            try $1.products.find($0)
        }
    }
}
