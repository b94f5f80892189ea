import ArgumentParser
import JSON
import Service

/// `serve`: the workers and HTTP, against a broker given by the configuration.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the workers against a broker that the configuration names.",
        discussion: """
            lamplighter serve --config /etc/lamplighter/lamplighter.yaml
            """
    )

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup var run: RunOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    @Option(help: "Address of the broker (default 127.0.0.1).")
    var mqttHost: String?

    func run() async throws {
        var flags = run.flags
        flags["mqtt.host"] = mqttHost
        let values = try await settings.read(flags)
        var showReady: (@Sendable (JSONValue) -> Void)?
        if output.json { showReady = { Terminal.show(line: Terminal.json($0)) } }
        try await ServiceRun(
            settings: values,
            ownBroker: false,
            showReady: showReady
        ) {
            Terminal.tell($0)
        }.run()
    }
}
