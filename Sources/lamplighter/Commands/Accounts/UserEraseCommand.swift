import ArgumentParser
import Domain
import JSON
import Service

/// `user erase`: removes a user with all records about them.
struct UserEraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract:
            "Erase a user at once and for good: profile, sessions, bindings, names in records."
    )

    @Argument(help: "The user's id.")
    var uid: String

    @Flag(help: "Do it: erasing can't be undone.")
    var yes = false

    @OptionGroup var settings: SettingsOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard yes else {
            throw ValidationError("erasing can't be undone; say --yes to do it")
        }
    }

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let user = try place.user(uid)
        try OperatorSessions.erase(user, in: place.store, place.settings)
        if output.json {
            Terminal.show(["uid": .string(user.uid.text), "erased": true])
        } else {
            print("erased \(user.uid)")
        }
    }
}
