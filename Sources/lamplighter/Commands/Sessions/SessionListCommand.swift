import Administration
import ArgumentParser
import JSON
import Storage

/// `session list`: live sessions.
struct SessionListCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List live sessions, of one user or the newest of all.",
        discussion: "lamplighter session list u-0123456789abc"
    )
    static let operation = "listSessions"

    @Argument(help: "The user's id.")
    var uid: String?

    @OptionGroup var most: LimitOption

    @OptionGroup(title: "Common options") var common: CommonOptions

    /// The columns of a table of sessions.
    static let columns = [
        Column("SESSION", "sessionId"), Column("USER", "uid"), Column("TERMINAL", "terminalId"),
        Column("PLATFORM") { row in
            ["platform", "os", "name"].compactMap { row[$0]?.stringValue }
                .filter { !$0.isEmpty }.joined(separator: ", ")
        }, .moment("LAST SEEN", "lastSeenAt"), .moment("UNTIL", "expiresAt"),
    ]

    func answer(in place: CommandContext) async throws -> JSONObject {
        guard let uid else {
            return try place.store.read { try UserView.newestSessions(most.limit, in: $0) }
        }
        return Shown.page(Array(try await place.liveSessions(of: uid).prefix(most.limit)))
    }

    func show(_ answer: JSONObject, in place: CommandContext) {
        Terminal.show(answer.items, Self.columns)
    }
}
