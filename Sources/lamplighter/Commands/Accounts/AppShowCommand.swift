import ArgumentParser
import JSON

/// `app show`: one app's policies and providers in force, without secrets.
struct AppShowCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one app: its policies and providers, without secrets.",
        discussion: "lamplighter app show demo"
    )
    static let operation = "showApp"

    @Argument(help: "The app's id.")
    var id: String

    @OptionGroup(title: "Common options") var common: CommonOptions

    private static let providers = [
        Column("PROVIDER", "name"), Column("ENABLED", "isEnabled"),
        Column("CLIENT IDS") { $0.object("settings").text("clientIds") },
        Column("SECRET") {
            $0.object("settings")["hasSecret"]?.boolValue == true ? "set" : "-"
        }, Column("KEEPS TOKEN") { $0.object("settings").text("keepToken") },
        Column("AT") { row in
            let settings = row.object("settings")
            return settings.text(settings["issuer"] == nil ? "baseUrl" : "issuer")
        },
    ]

    var path: [String: String] { ["appId": id] }

    func show(_ answer: JSONObject, in place: CommandContext) {
        let (row, document) = (answer.object("row"), answer.object("document"))
        Terminal.show(plain: "\(id)  \(row.text("name"))")
        print("products \(row.text("products"))\n")
        let given = document.object("policies")
        var policies = TextTable(["POLICY", "VALUE", "FROM"])
        for (name, value) in answer.object("policies").members.map({ ($0.key, $0.value) }) {
            let text = value.stringValue ?? Terminal.json(value)
            policies.add([name, text, given[name] == nil ? "default" : "document"])
        }
        print(policies.text)
        let providers = answer.objects("providers").filter { $0["settings"] != nil }
        if !providers.isEmpty {
            print("")
            Terminal.show(providers, Self.providers)
        }
        let texts = document.object("texts").members.map(\.key)
        if texts.isEmpty { return }
        print("")
        Terminal.show(plain: "own words for \(texts.joined(separator: ", "))")
    }
}
