import ArgumentParser
import Service

/// The command `feed`, which keeps the gate's file on the broker's machine up to date if the workers run on other
/// machines.
struct FeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed",
        abstract: "Keep the gate's file up to date on the broker's machine, for workers on other machines.",
        discussion: """
            lamplighter feed --store postgres://lamplighter_feed@db/lamplighter --gate-file /var/lib/lamplighter/gate/credentials

            The workers have `gateFile: none`. The role lamplighter_feed reads hashes and grants, and nothing else. \
            While the command runs, it touches the file every second: with `plugin_opt_credentials_age 5` the gate \
            admits no new client once the file has not been touched for 5 s.
            """
    )

    @Option(help: ArgumentHelp("File that the gate reads.", valueName: "path"))
    var gateFile: String?

    @Option(help: "Log level (default info).")
    var logLevel: String?

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let (values, messages) = try await settings.readToRun(["gateFile": gateFile, "log.level": logLevel])
        try await output.running(with: messages) { try await FeedRun(settings: values, messages: messages).run() }
    }
}
