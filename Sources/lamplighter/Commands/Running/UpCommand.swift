import ArgumentParser
import JSON
import Service

/// `up`: a broker of our own, the store, all workers and HTTP, in one go.
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

    @Flag(name: .customLong("no-demo"), help: "Make no demo product and app.")
    var withoutDemo = false

    func run() async throws {
        var flags = run.flags
        if withoutDemo { flags["demo"] = "false" }
        let values = try await settings.read(flags)
        var showReady: (@Sendable (JSONValue) -> Void)?
        if output.json { showReady = { Terminal.show(line: Terminal.json($0)) } }
        try await ServiceRun(
            settings: values,
            ownBroker: true,
            showReady: showReady
        ) {
            Terminal.tell($0)
        }.run()
    }
}
