import ArgumentParser
import Domain
import JSON

/// `product allow`: lets MACs register with a product whose registration is `listed`.
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
