import Domain
import JSON
import Service
import Storage
import Workers

extension AppImportCommand {
    func run() async throws {
        let place = try await CommandContext.open(settings)
        let document = try DocumentFile.read(file)
        let result = try DocumentFile.importing(file) {
            try place.store.batch(at: SystemClock().now, once: true) { tx in try Import.app(.object(document), in: tx) }
        }
        output.show(result, of: "app", id: "appId", secret: "secret")
    }
}

extension AppListCommand {
    static let columns = [Column("APP", "appId"), Column("NAME", "name"), Column("PRODUCTS", "products")]
}

extension AppShowCommand {
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

extension AppExportCommand {
    func run() async throws {
        let place = try await CommandContext.open(common.settings)
        Terminal.show(.object(try await place.run("showApp", ["appId": id]).object("document")))
    }
}
