import ArgumentParser
import JSON
import Problems
import Service
import ServiceSettings
import Simulate

extension SimulateCommand {
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
            throw Problem.nothingAnswers(host: options.host, port: options.port, directory: values.dataDirectory)
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
