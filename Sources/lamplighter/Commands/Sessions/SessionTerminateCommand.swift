import ArgumentParser
import JSON

/// `session terminate`: ends one session.
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

    func show(_ answer: JSONObject, in place: CommandContext) {
        print("ended \(session) of \(answer.text("uid"))")
    }
}
