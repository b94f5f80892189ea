import ArgumentParser
import Domain
import JSON
import Service

/// `user logout`: ends all of a user's sessions.
struct UserLogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End all sessions of a user; their tokens are void at once.",
        discussion: "lamplighter user logout u-0123456789abc"
    )

    @Argument(help: "The user's id.")
    var uid: String

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let user = try place.user(uid)
        let count = try OperatorSessions.endAll(of: user.uid, in: place.store, place.settings)
        if output.json {
            Terminal.show(["uid": .string(user.uid.text), "ended": .integer(Int64(count))])
        } else {
            print("ended \(count) sessions of \(user.uid)")
        }
    }
}
