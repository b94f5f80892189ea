extension RunOptions {
    /// The values of the flags; the dictionary's keys are the keys of the settings that the flags set.
    var flags: [String: String?] {
        [
            "mqtt.port": mqttPort.map(String.init), "http.port": httpPort.map(String.init),
            "health.port": healthPort.map(String.init), "console.port": consolePort.map(String.init),
            "console.enabled": withoutConsole ? "false" : nil, "console.directory": consoleDirectory,
            "log.level": logLevel, "workers": workers, "insecure": insecure ? "true" : nil,
        ]
    }
}
