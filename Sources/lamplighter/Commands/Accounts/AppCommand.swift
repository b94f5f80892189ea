import Storage
import ArgumentParser
import Domain
import JSON
import Service
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
struct AppListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the apps.",
        discussion: "lamplighter app list"
    )

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let apps = try await CommandContext.open(settings).store.read { try $0.apps.all() }
        if output.json { return Terminal.show(.array(apps.map(Self.json))) }
        var table = TextTable(["APP", "NAME", "PRODUCTS"])
        for app in apps { table.add([app.id.text, app.name, Self.products(app)]) }
        print(table.text)
    }

    /// Returns the products that an app sees, as text.
    static func products(_ app: App) -> String {
        switch app.products {
        case .all: "all"
        case .only(let keys): keys.map(\.text).joined(separator: " ")
        }
    }

    private static func json(_ app: App) -> JSONValue {
        .object([
            "appId": .string(app.id.text), "name": .string(app.name),
            "products": json(app.products),
        ])
    }

    /// Returns the products that an app sees, in the form of its document.
    static func json(_ products: App.Products) -> JSONValue {
        switch products {
        case .all: "all"
        case .only(let keys): .array(keys.map { .string($0.text) })
        }
    }
}
