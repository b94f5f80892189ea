extension RunOptions {
    /// The values of the flags by the keys of their settings.
    var flags: [String: String?] {
        [
            "mqtt.port": mqttPort.map(String.init), "http.port": httpPort.map(String.init),
            "health.port": healthPort.map(String.init), "console.port": consolePort.map(String.init),
            "console.enabled": withoutConsole ? "false" : nil, "console.directory": consoleDirectory,
            "log.level": logLevel, "workers": workers, "insecure": insecure ? "true" : nil,
        ]
    }
}
