import Console
import Service

extension UpCommand {
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
