import ArgumentParser
import JSON

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

    @OptionGroup(title: "Common options") var common: CommonOptions

    func run() async throws {
        let place = try await CommandContext.open(common.settings)
        Terminal.show(.object(try await place.run("showApp", ["appId": id]).object("document")))
    }
}
