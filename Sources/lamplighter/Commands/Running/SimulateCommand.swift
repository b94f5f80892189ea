import ArgumentParser
import JSON
import Problems
import Service
import ServiceSettings
import Simulate

/// The command `simulate`, which runs simulated devices that use a running service.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Simulate devices that register, report, carry out commands, disconnect and reconnect.",
        discussion: """
            lamplighter simulate --devices 100 --rate 50
            lamplighter simulate --app --duration 20

            Ctrl-C ends the run early: reporting stops, the command waits for the last answers and prints
            the result; after a second Ctrl-C it does not wait for them. Without Ctrl-C, the exit code is 1
            if reports remain unanswered.
            """
    )

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    @Option(help: "Number of devices.")
    var devices = 10

    @Option(help: "Reports a second, over all devices together.")
    var rate = 2.0

    @Option(help: "Duration in seconds.")
    var duration = 60.0

    @Option(help: "A product document (JSON with productSecret) instead of the demo's.") var product: String?

    @Flag(help: "Also log an app in, bind the devices to its user, and print what the app sees.")
    var app = false

    func validate() throws {
        guard devices >= 1, rate > 0, duration > 0 else {
            throw ValidationError("--devices, --rate and --duration must be above 0.")
        }
    }

    func run() async throws {
        let values = try await settings.read()
        var options = try SimulateOptions.of(values, productFile: product)
        options.devices = devices
        options.rate = rate
        options.duration = duration
        if !app { options.app = nil }
        if let key = options.product["productKey"]?.stringValue { _ = try CommandContext.open(values).product(key) }
        guard Ports.accepts(options.host, options.port) else {
            throw Problem(
                .notRunning,
                "nothing answers at \(options.host):\(options.port)",
                at: "\(options.host):\(options.port)",
                why: "the devices use real connections and need a running service",
                cures: [.init("lamplighter up --data '\(values.dataDirectory)'", "start the service")]
            )
        }
        let isForPrograms = output.json
        let simulation = try Simulation(options, interrupts: { Interrupt.times }) {
            Terminal.progress($0)
        } show: {
            if isForPrograms { Terminal.tell($0) } else { Terminal.show(line: $0) }
        }
        Interrupt.listen()
        let summary = simulation.run()
        Terminal.tell("")
        if output.json { Terminal.show(summary.json) } else { print(summary.text) }
        if summary.lost > 0, Interrupt.times == 0 { throw ExitCode(1) }
    }
}
