package import Domain
import Metering

// The values that aren't plainly those of their settings; schemas/settings.yaml declares the others.
extension Settings {
    /// The form of the log's lines.
    package var logFormat: LogFormat { LogFormat(rawValue: text("log.format")) ?? .text }
    /// The workers that run here.
    package var workers: [WorkerName] { list("workers").compactMap(WorkerName.init) }
    /// The maximum bytes of the broker's memory held for products, devices and apps together; 0 for any.
    package var brokerHeldBytes: Int { brokerMemoryBytes * brokerHeldPercent / 100 }
    /// The gate's lines of the broker's configuration.
    package var gateLines: [String] {
        SettingsTable.gateOptions.map { option, key, factor in "plugin_opt_\(option) \(integer(key) * factor)" } + [
            "plugin_opt_\(GateOption.heldBytes.rawValue) \(brokerHeldBytes)"
        ]
    }
    /// Port that health and metrics are served on; 0, the default if the pages' port is 0, for any free port.
    package var healthPort: Int { port("health.port") }
    /// Port of the console; 0, the default if the pages' port is 0, for any free port.
    package var consolePort: Int { port("console.port") }
    /// The part of the data directory's disk to leave free.
    package var diskReserve: DiskReserve { .init(percent: diskFreePercent, bytesMax: Int64(diskFreeMegabytes) << 20) }

    private func port(_ key: String) -> Int { httpPort == 0 && origin(key) == .standard ? 0 : integer(key) }
}

extension Limits {
    /// Creates the limits that settings define.
    package init(_ settings: Settings) {
        self.init()
        for entry in settings.entries {
            guard case .integer(let number) = entry.value else { continue }
            set(entry.setting.key, to: number)
        }
        // A message isn't claimed while another attempt to send it can still be under way.
        messageLease = max(messageLease, Int64(settings.smtpTimeout) * 2 + 30)
    }
}
