import ArgumentParser
import Domain
import JSON
import Service
import Storage
import Workers

/// The commands `app …` about the apps whose terminals can connect.
struct AppCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Import and inspect apps.",
        discussion: """
            lamplighter app import app.json
            lamplighter app list
            """,
        subcommands: [AppImportCommand.self, AppListCommand.self, AppShowCommand.self, AppExportCommand.self]
    )
}

/// The command `app import`, which stores an app document.
struct AppImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import an app document; its secret is shown only once.",
        discussion: """
            lamplighter app import app.json

            If the document has no appId, one is made and shown. Secrets that it omits, the app's own and its \
            providers', stay unchanged.
            """
    )

    @Argument(help: "A JSON file (schemas/generated/app.schema.json), or - for standard input.") var file: String

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let document = try DocumentFile.read(file)
        let result = try DocumentFile.importing(file) {
            try place.store.batch(at: SystemClock().now, once: true) { tx in try Import.app(.object(document), in: tx) }
        }
        output.show(result, of: "app", id: "appId", secret: "secret")
    }
}

/// The command `app list`, which shows all apps.
struct AppListCommand: ListCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the apps.",
        discussion: "lamplighter app list"
    )
    static let operation = "listApps"

    @OptionGroup(title: "Common options") var common: CommonOptions

    static let columns = [Column("APP", "appId"), Column("NAME", "name"), Column("PRODUCTS", "products")]
}

/// The command `app show`, which shows the policies and providers of one app, without secrets.
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

/// The command `app export`, which prints an app as a document for `app import`, without any secrets.
struct AppExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print one app's document, without its secrets.",
        discussion: """
            lamplighter app export demo > app.json

            Importing it again keeps the app's own secret and its providers' secrets. To set up the app \
            elsewhere, write its providers' clientSecret into the file; the app gets a new secret there.
            """
    )

    @Argument(help: "The app's id.")
    var id: String

    @OptionGroup(title: "Common options") var common: CommonOptions

    func run() async throws {
        let place = try await CommandContext.open(common.settings)
        Terminal.show(.object(try await place.run("showApp", ["appId": id]).object("document")))
    }
}
