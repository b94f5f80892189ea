import Console
import Service

extension ServeCommand {
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
