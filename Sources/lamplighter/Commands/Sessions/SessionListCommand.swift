import ArgumentParser
import Domain
import JSON
import Storage

/// `session list`: live sessions.
struct SessionListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List live sessions, of one user or the newest of all.",
        discussion: """
            lamplighter session list u-0123456789abc
            """
    )

    @Argument(help: "The user's id.")
    var uid: String?

    @Option(help: "At most so many, 1 to 1000.")
    var limit = 100

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func validate() throws {
        guard (1...1000).contains(limit) else {
            throw ValidationError("--limit takes 1 to 1000, not \(limit)")
        }
    }

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let user = try uid.map(place.user)
        let sessions = try place.store.read { tx in
            guard let user else { return try tx.sessions.newest(limit: limit) }
            return Array(try tx.sessions.live(of: user.uid).reversed().prefix(limit))
        }
        if output.json { return Terminal.show(.array(sessions.map(UserView.json))) }
        print(UserView.table(sessions))
    }
}
