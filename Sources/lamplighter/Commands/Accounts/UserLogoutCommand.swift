import ArgumentParser
import JSON

/// `user logout`: ends all of a user's sessions.
struct UserLogoutCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End all sessions of a user; their tokens are void at once.",
        discussion: "lamplighter user logout u-0123456789abc"
    )
    static let operation = "endSessions"

    @Argument(help: "The user's id.")
    var uid: String

    @OptionGroup(title: "Common options") var common: CommonOptions

    func answer(in place: CommandContext) async throws -> JSONObject {
        try await place.run(Self.operation, ["uid": uid], by: "lamplighter")
    }

    func show(_ answer: JSONObject, in place: CommandContext) {
        print("ended \(answer.text("count")) sessions of \(uid)")
    }
}
