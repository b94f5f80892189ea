import ArgumentParser
import Service

/// `up`: a broker of our own, the store, all workers and HTTP, in one go.
struct UpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract: "Start everything: a private broker with the gate, the workers, HTTP, a demo."
    )

    @OptionGroup var settings: SettingsOptions
    @OptionGroup var run: RunOptions
    @OptionGroup var output: OutputOptions

    @Flag(name: .customLong("no-demo"), help: "Make no demo product and app.")
    var withoutDemo = false

    func run() async throws {
        var flags = run.flags
        if withoutDemo { flags["demo"] = "false" }
        let values = try await settings.read(flags)
        try await ServiceRun(settings: values, ownBroker: true) { Terminal.tell($0) }.run()
    }
}
