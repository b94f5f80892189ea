import ArgumentParser
import Domain
import Files
import JSON
import Problems
import Service

/// `session terminate`: ends one session.
struct SessionTerminateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "terminate",
        abstract: "End one session; its token is void at once.",
        discussion: "lamplighter session terminate s-0123456789abc"
    )

    @Argument(help: "The session's id, from session list.")
    var session: String

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let found = try SessionID(session).flatMap { id in
            try OperatorSessions.end(id, in: place.store, place.settings)
        }
        guard let found else {
            throw Problem(
                .notFound,
                "no live session \(session)",
                at: session,
                why: "it has ended, or there never was a session with that id",
                cures: [
                    .init(
                        "lamplighter session list --data '\(place.directory.path)'",
                        "live sessions"
                    )
                ]
            )
        }
        if output.json {
            Terminal.show([
                "sessionId": .string(found.id.text), "uid": .string(found.uid.text),
                "terminalId": .string(found.terminal.text),
            ])
        } else {
            print("ended \(found.id) of \(found.uid)")
        }
    }
}
