import ArgumentParser
import Domain
import JSON
import Service
import Storage
import Workers

/// `app`: the apps whose terminals can connect.
struct AppCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Import and inspect apps.",
        discussion: """
            lamplighter app import app.json
            lamplighter app list
            """,
        subcommands: [
            AppImportCommand.self, AppListCommand.self, AppShowCommand.self, AppExportCommand.self,
        ]
    )
}

/// `app import`: stores an app document.
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

    @Argument(help: "A JSON file (schemas/generated/app.schema.json), or - for standard input.")
    var file: String

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let document = try DocumentFile.read(file)
        let result = try DocumentFile.importing(file) {
            try place.store.batch(at: SystemClock().now, once: true) { tx in
                try Import.app(.object(document), in: tx)
            }
        }
        output.show(result, of: "app", id: "appId", secret: "secret")
    }
}

/// `app list`: all apps.
struct AppListCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the apps.",
        discussion: "lamplighter app list"
    )
    static let operation = "listApps"

    @OptionGroup(title: "Common options") var common: CommonOptions

    func show(_ answer: JSONObject, in place: CommandContext) {
        Terminal.show(
            answer.items,
            [Column("APP", "appId"), Column("NAME", "name"), Column("PRODUCTS", "products")]
        )
    }
}
