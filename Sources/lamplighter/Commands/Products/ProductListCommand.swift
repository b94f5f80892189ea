import ArgumentParser
import JSON

/// `product list`: all products.
struct ProductListCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the products.",
        discussion: "lamplighter product list"
    )
    static let operation = "listProducts"

    @OptionGroup(title: "Common options") var common: CommonOptions

    func show(_ answer: JSONObject, in place: CommandContext) {
        Terminal.show(
            answer.items,
            [
                Column("PRODUCT", "productKey"), Column("NAME", "name"),
                Column("REGISTRATION", "registration"),
                Column("DATA POINTS") { $0.integer("points") == 0 ? "free-form" : $0.text("points") },
                Column("DEVICES", "devices"),
            ]
        )
    }
}
