/// What `up` shows when everything accepts work: addresses, and commands to paste.
package struct Banner {
    let version: String
    let directory: DataDirectory
    let settingsFile: String?
    let mqttHost: String
    let mqttPort: Int
    let httpHost: String
    let httpPort: Int
    let root: String
    let workers: [String]
    let store: String
    let demo: DemoKeys?
    let seconds: Double

    /// The whole text.
    package var text: String {
        let tenths = Int((seconds * 10).rounded())
        var lines = [
            "lamplighter \(version)   data \(directory.path)\(directory.isNew ? " (new)" : "")"
                + "   config \(settingsFile ?? "none, defaults")",
            "  ok  store      \(store)",
            "  ok  broker     mqtt://\(mqttHost):\(mqttPort)   Mosquitto, gate loaded",
            "  ok  workers    \(workers.joined(separator: " "))",
            "  ok  http       http://\(httpHost):\(httpPort)/healthz  /readyz  /metrics",
            "ready in \(tenths / 10).\(tenths % 10) s",
        ]
        if let demo {
            lines += ["", "Try it: paste these into a second terminal, one after the other"]
            lines += tour(demo).steps.enumerated().flatMap { index, step in
                ["  \(index + 1)  \(step.title)", step.command]
            }
        }
        lines.append("Stop: Ctrl-C.   Trouble: lamplighter doctor --data '\(directory.path)'")
        return lines.joined(separator: "\n")
    }

    private func tour(_ demo: DemoKeys) -> Tour {
        Tour(
            host: mqttHost,
            port: mqttPort,
            root: root,
            demo: demo,
            mac: DemoKeys.hex(6),
            terminal: DemoKeys.hex(16)
        )
    }
}
