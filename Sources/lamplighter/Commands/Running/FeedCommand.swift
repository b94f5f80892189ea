import Service

extension FeedCommand {
    func run() async throws {
        let (values, messages) = try await settings.readToRun(["gateFile": gateFile, "log.level": logLevel])
        try await output.running(with: messages) { try await FeedRun(settings: values, messages: messages).run() }
    }
}
