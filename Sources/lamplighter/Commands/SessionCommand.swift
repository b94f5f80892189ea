import Administration
import JSON
import Storage

extension SessionListCommand {
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

extension SessionTerminateCommand {
    func answer(in place: CommandContext) async throws -> JSONObject {
        let path = ["sessionId": session]
        let found = try await place.run("showUserSession", path)
        guard found["endedAt"] == nil else { throw place.missing("session", session) }
        return try await place.run(Self.operation, path, by: "lamplighter")
    }

    func show(_ answer: JSONObject, in place: CommandContext) { print("ended \(session) of \(answer.text("uid"))") }
}
