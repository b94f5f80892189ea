import ArgumentParser

/// The flags that `up` and `serve` share.
struct RunOptions: ParsableArguments {
    @Option(help: "Port of the broker; up: 0 for any free one (default 1883).")
    var mqttPort: Int?

    @Option(help: "Port of the pages behind links; 0 for any free one (default 8080).")
    var httpPort: Int?

    @Option(help: "Port of /readyz and /metrics; 0 for any free one (default 8081).")
    var healthPort: Int?

    @Option(
        help: "Log level: none, error, warning, notice, info, debug, trace (default info)."
    )
    var logLevel: String?

    @Option(help: "Workers that run in this process, separated by commas (default all).")
    var workers: String?

    @Flag(help: "Let plain MQTT and HTTP listen elsewhere than on loopback; secrets go in clear.")
    var insecure = false

    /// These flags by the keys of the settings.
    var flags: [String: String?] {
        [
            "mqtt.port": mqttPort.map(String.init), "http.port": httpPort.map(String.init),
            "health.port": healthPort.map(String.init), "log.level": logLevel, "workers": workers,
            "insecure": insecure ? "true" : nil,
        ]
    }
}
