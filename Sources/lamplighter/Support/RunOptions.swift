extension RunOptions {
    /// The values of the flags; each key is the key of the setting that the flag sets.
    var flags: [String: String?] {
        [
            "mqtt.port": mqttPort.map(String.init), "http.port": httpPort.map(String.init),
            "health.port": healthPort.map(String.init), "console.port": consolePort.map(String.init),
            "console.enabled": withoutConsole ? "false" : nil, "console.directory": consoleDirectory,
            "log.level": logLevel, "workers": workers, "insecure": insecure ? "true" : nil,
        ]
    }
}
