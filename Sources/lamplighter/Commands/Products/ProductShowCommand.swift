import ArgumentParser
import Domain
import JSON
import Storage

/// `product show`: one product's data points.
struct ProductShowCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one product.",
        discussion: "lamplighter product show 0123456789abcdef0123456789abcdef"
    )
    static let operation = "showProduct"

    @Argument(help: "The product's key.")
    var key: String

    @OptionGroup(title: "Common options") var common: CommonOptions

    var path: [String: String] { ["productKey": key] }

    func show(_ answer: JSONObject, in place: CommandContext) {
        let (row, document) = (answer.object("row"), answer.object("document"))
        let days = document["historyDays"] == nil ? "as set" : "\(document.text("historyDays")) days"
        Terminal.show(plain: "\(key)  \(row.text("name"))")
        print(
            "registration \(row.text("registration"))   reset \(row.text("reset"))"
                + "   remote bind \(row.text("remoteBind"))   history \(days)"
        )
        Terminal.show(plain: "alerts \(document.text("alerts"))")
        Terminal.show(plain: "faults \(document.text("faults"))")
        print("")
        Terminal.show(
            answer.objects("points").map { $0.object("point") },
            [
                Column("DATA POINT", "name"), Column("ACCESS", "access"), Column("TYPE", "kind"),
                Column("RANGE", Self.range), Column("UNIT", "unit"),
            ]
        )
    }

    private static func range(of point: JSONObject) -> String {
        if let values = point["values"]?.arrayValue {
            return values.compactMap(\.stringValue).joined(separator: " ")
        }
        if point["maxLength"] != nil {
            let unit = point.text("kind") == "raw" ? "bytes" : "characters"
            return "up to \(point.text("maxLength")) \(unit)"
        }
        guard point["min"] != nil || point["max"] != nil else { return "-" }
        return ["min", "max"].map { point[$0] == nil ? "" : point.text($0) }
            .joined(separator: " … ")
    }
}

extension CommandContext {
    /// Finds a product by its key.
    func product(_ key: String) throws -> Product {
        try find("product", key) { try $1.products.find($0) }
    }
}
