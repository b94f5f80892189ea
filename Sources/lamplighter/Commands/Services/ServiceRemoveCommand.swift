import ArgumentParser
import Files
import JSON
import Problems
import Storage
import Workers

/// `service remove`: removes a back-end service, which can no longer connect.
struct ServiceRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a back-end service; its connections are closed.",
        discussion: "lamplighter service remove mailer"
    )

    @Argument(help: "Its name.")
    var name: String

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func validate() throws { try ServiceCommand.check(name) }

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let isGone = try place.store.batch(at: SystemClock().now, once: true) { tx in
            try tx.services.remove(name)
        }
        guard isGone else {
            throw Problem(
                .notFound,
                "there is no service \(name)",
                at: name,
                why: "no service with that name was added, or it was removed",
                cures: [
                    .init(
                        "lamplighter service list --data '\(place.directory.path)'",
                        "all services"
                    )
                ]
            )
        }
        if output.json {
            Terminal.show(["name": .string(name), "removed": true])
        } else {
            print("removed \(name)")
        }
    }
}
