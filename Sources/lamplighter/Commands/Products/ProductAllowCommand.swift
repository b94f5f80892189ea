import Storage
import ArgumentParser
import Domain
import JSON
import Workers

/// `product allow`: lets MACs register with a product whose registration is `listed`.
struct ProductAllowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "allow",
        abstract: "Allow MACs to register with a product whose devices are listed.",
        discussion: "lamplighter product allow 0123456789abcdef0123456789abcdef a1b2c3d4e5f6"
    )

    @Argument(help: "The product's key.")
    var key: String

    @Argument(help: "MACs: 12 lowercase hex digits, or 15 digits of an IMEI.")
    var macs: [String]

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let product = try place.product(key)
        let parsed = try macs.map { text in
            guard let mac = MAC(text) else {
                throw ValidationError("\(text) is neither 12 lowercase hex digits nor 15 digits")
            }
            return mac
        }
        try place.store.batch(at: SystemClock().now) { try $0.products.list(product.key, parsed) }
        if output.json {
            Terminal.show(.object(["listed": .integer(Int64(parsed.count))]))
        } else {
            print("listed \(parsed.count) for \(PlainText.of(product.name))")
        }
    }
}
