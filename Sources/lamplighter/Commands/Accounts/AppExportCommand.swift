import ArgumentParser
import Domain
import JSON
import Service
import Storage

/// `app export`: one app as the document that `import` takes, without any secret.
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

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let (_, document) = try await CommandContext.open(settings).app(id)
        Terminal.show(.object(AppSecrets.removed(from: document)))
    }
}

extension CommandContext {
    /// Finds an app by its id, with its document.
    func app(_ id: String) throws -> (app: App, document: JSONObject) {
        try find("app", id, why: "no app with that id was imported") { id, tx in
            guard let app = try tx.apps.find(id) else { return nil }
            return (app, try tx.apps.document(id) ?? [:])
        }
    }
}
