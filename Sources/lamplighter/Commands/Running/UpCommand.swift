import ArgumentParser
import Console
import Service

/// The command `up`, which runs a broker of its own, the store, all workers and HTTP in one go.
struct UpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract: "Start everything: a private broker with the gate, the workers, HTTP, a demo.",
        discussion: """
            lamplighter up
            lamplighter up --data /srv/lamplighter --no-demo
            lamplighter up --json
            """
    )

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup var run: RunOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    @Flag(name: .customLong("no-demo"), help: "Don't create the demo product and app.") var withoutDemo = false

    func run() async throws {
        var flags = run.flags
        if withoutDemo { flags["demo"] = "false" }
        let (values, messages) = try await settings.readToRun(flags)
        let service = ServiceRun(
            settings: values,
            ownBroker: true,
            showReady: output.showReady,
            makeConsole: ConsoleAPI.make,
            messages: messages
        )
        try await output.running(with: messages) { try await service.run() }
    }
}
