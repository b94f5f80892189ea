package import Domain
import Metering

// Values that are computed from settings. For a setting whose value is used unchanged, see schemas/settings.yaml.
extension Settings {
    /// The form of the log's lines.
    package var logFormat: LogFormat { LogFormat(rawValue: text("log.format")) ?? .text }
    /// The workers that run in this process.
    package var workers: [WorkerName] { list("workers").compactMap(WorkerName.init) }
    /// The maximum number of bytes that the broker keeps for all clients together, or 0 for no limit.
    package var brokerHeldBytes: Int { brokerMemoryBytes * brokerHeldPercent / 100 }
    /// The lines of the broker's configuration that set the gate's options.
    package var gateLines: [String] {
        SettingsTable.gateOptions.map { option, key, factor in "plugin_opt_\(option) \(integer(key) * factor)" } + [
            "plugin_opt_\(GateOption.heldBytes.rawValue) \(brokerHeldBytes)"
        ]
    }
    /// The port of the health pages and metrics, or 0 for any free port.
    package var healthPort: Int { port("health.port") }
    /// The port of the console, or 0 for any free port.
    package var consolePort: Int { port("console.port") }
    /// The space to leave free on the disk of the data directory.
    package var diskReserve: DiskReserve { .init(percent: diskFreePercent, bytesMax: Int64(diskFreeMegabytes) << 20) }

    private func port(_ key: String) -> Int { httpPort == 0 && origin(key) == .standard ? 0 : integer(key) }
}

extension Limits {
    /// Creates the limits that the settings define.
    package init(_ settings: Settings) {
        self.init()
        for entry in settings.entries {
            guard case .integer(let number) = entry.value else { continue }
            set(entry.setting.key, to: number)
        }
        // The lease must outlast an attempt to send a message. Otherwise, another sender could claim the message during
        // the attempt.
        messageLease = max(messageLease, Int64(settings.smtpTimeout) * 2 + 30)
    }
}
