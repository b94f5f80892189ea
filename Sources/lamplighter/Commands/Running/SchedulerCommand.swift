import Service

extension SchedulerCommand {
    func run() async throws {
        let (values, messages) = try await settings.readToRun([
            "mqtt.host": mqttHost, "mqtt.port": mqttPort.map(String.init), "log.level": logLevel,
        ])
        try await output.running(with: messages) { try await SchedulerRun(settings: values, messages: messages).run() }
    }
}
