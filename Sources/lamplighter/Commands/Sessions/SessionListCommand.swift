import ArgumentParser
import Domain
import JSON
import Storage

/// `session list`: live sessions.
struct SessionListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List live sessions, of one user or the newest of all.",
        discussion: "lamplighter session list u-0123456789abc"
    )

    @Argument(help: "The user's id.")
    var uid: String?

    @OptionGroup var most: LimitOption

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let user = try uid.map(place.user)
        let sessions = try place.store.read { tx in
            guard let user else { return try tx.sessions.newest(limit: most.limit) }
            return Array(try tx.sessions.live(of: user.uid).reversed().prefix(most.limit))
        }
        if output.json { return Terminal.show(.array(sessions.map(UserView.json))) }
        print(UserView.table(sessions))
    }
}
