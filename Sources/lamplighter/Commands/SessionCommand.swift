import Administration
import ArgumentParser
import JSON
import Storage

/// The commands `session …` about the sessions of users on terminals.
struct SessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "List and end sessions.",
        discussion: "lamplighter session list",
        subcommands: [SessionListCommand.self, SessionTerminateCommand.self]
    )
}

/// The command `session list`, which shows the sessions that have not ended.
struct SessionListCommand: ListCommand {
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
        guard let uid else { return try place.store.read { try UserView.newestSessions(most.limit, in: $0) } }
        return Shown.page(Array(try await place.liveSessions(of: uid).prefix(most.limit)))
    }
}

/// The command `session terminate`, which ends one session.
struct SessionTerminateCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "terminate",
        abstract: "End one session; its token is void at once.",
        discussion: "lamplighter session terminate s-0123456789abc"
    )
    static let operation = "endSession"

    @Argument(help: "The session's id, from session list.")
    var session: String

    @OptionGroup(title: "Common options") var common: CommonOptions

    func answer(in place: CommandContext) async throws -> JSONObject {
        let path = ["sessionId": session]
        let found = try await place.run("showUserSession", path)
        guard found["endedAt"] == nil else { throw place.missing("session", session) }
        return try await place.run(Self.operation, path, by: "lamplighter")
    }

    func show(_ answer: JSONObject, in place: CommandContext) { print("ended \(session) of \(answer.text("uid"))") }
}
