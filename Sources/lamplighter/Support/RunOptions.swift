import ArgumentParser

/// The flags that `up` and `serve` share.
struct RunOptions: ParsableArguments {
    @Option(help: "Port of the broker; with up, 0 takes any free port (default 1883).")
    var mqttPort: Int?

    @Option(help: "Port of the pages that links lead to; 0 takes any free port (default 8080).") var httpPort: Int?

    @Option(help: "Port of /readyz and /metrics; 0 takes any free port (default 8081).") var healthPort: Int?

    @Option(help: "Port of the operators' console; 0 takes any free port (default 8082).") var consolePort: Int?

    @Flag(name: .customLong("no-console"), help: "Don't serve the console.")
    var withoutConsole = false

    @Option(
        name: .customLong("console-dir"),
        help: "Serve the console's files from a directory, while you develop them."
    )
    var consoleDirectory: String?

    @Option(
        help: "Log level: none, error, warning, notice, info, debug, trace (default info)."
    )
    var logLevel: String?

    @Option(help: "Workers that run in this process, separated by commas (default all).") var workers: String?

    @Flag(help: "Let listeners without TLS listen beyond loopback; secrets are sent in the clear.") var insecure = false

    /// The values of the flags, by the keys of their settings.
    var flags: [String: String?] {
        [
            "mqtt.port": mqttPort.map(String.init), "http.port": httpPort.map(String.init),
            "health.port": healthPort.map(String.init), "console.port": consolePort.map(String.init),
            "console.enabled": withoutConsole ? "false" : nil, "console.directory": consoleDirectory,
            "log.level": logLevel, "workers": workers, "insecure": insecure ? "true" : nil,
        ]
    }
}
