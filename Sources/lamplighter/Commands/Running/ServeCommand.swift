import ArgumentParser
import Console
import Service

/// The command `serve`, which runs the workers and HTTP with the broker that the configuration names.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the workers with the broker that the configuration names.",
        discussion: "lamplighter serve --config /etc/lamplighter/lamplighter.yaml"
    )

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup var run: RunOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    @Option(help: "Address of the broker (default 127.0.0.1).")
    var mqttHost: String?

    func run() async throws {
        var flags = run.flags
        flags["mqtt.host"] = mqttHost
        let (values, messages) = try await settings.readToRun(flags)
        let service = ServiceRun(
            settings: values,
            ownBroker: false,
            showReady: output.showReady,
            makeConsole: ConsoleAPI.make,
            messages: messages
        )
        try await output.running(with: messages) { try await service.run() }
    }
}
