import ArgumentParser
import Service

/// The command `scheduler`, which runs only the scheduler, in addition to a service that runs without it.
struct SchedulerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scheduler",
        abstract:
            "Run only the scheduler: fire due schedules, delete rows past their retention.",
        discussion: """
            lamplighter scheduler --data /srv/lamplighter

            Use this command next to a service on the same data directory, such as \
            `lamplighter serve --workers status,control,account,session,schedule`. \
            Two schedulers at once do no harm.
            """
    )

    @Option(help: "Address of the broker (default 127.0.0.1).")
    var mqttHost: String?

    @Option(help: "Port of the broker (default: the running service's port).")
    var mqttPort: Int?

    @Option(help: "Log level (default info).")
    var logLevel: String?

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let (values, messages) = try await settings.readToRun([
            "mqtt.host": mqttHost, "mqtt.port": mqttPort.map(String.init), "log.level": logLevel,
        ])
        try await output.running(with: messages) { try await SchedulerRun(settings: values, messages: messages).run() }
    }
}
