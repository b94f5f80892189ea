import JSON
import Service
import ServiceSettings
import Web

/// Settings and limits as the interface shows them.
enum SettingsView {
    /// Returns every setting with its value and origin, secrets masked (`SettingList`).
    static func all(_ settings: Settings) -> JSONObject {
        let items = settings.entries.map { entry in
            JSONObject([
                ("key", .string(entry.setting.key)), ("value", entry.shownJSON),
                ("default", entry.setting.standard.json), ("unit", .string(entry.setting.unit)),
                ("kind", .string(entry.setting.kindText)), ("origin", .string(entry.origin.text)),
                ("environment", .string(entry.setting.environmentName)),
                ("doc", .string(entry.setting.doc)), ("secret", .bool(entry.setting.isSecret)),
            ])
        }
        var list = Shown.page(items)
        list["file"] = settings.file.map { .string($0) }
        return list
    }

    /// Returns the numbers that bound something, with their use where it is measured (`LimitList`).
    static func limits(_ context: ConsoleContext) -> JSONObject {
        let items = context.settings.entries.compactMap { entry -> JSONObject? in
            guard entry.setting.key.hasPrefix("limits."),
                case .integer(let value) = entry.value
            else { return nil }
            return JSONObject([
                ("key", .string(entry.setting.key)), ("value", .integer(Int64(value))),
                ("unit", .string(entry.setting.unit)), ("about", .string(entry.setting.doc)),
                ("used", used(entry.setting.key, context).map { .double($0) }),
            ])
        }
        return Shown.page(items)
    }

    /// The metric that shows how much of a limit is in use.
    private static let measured = [
        "limits.httpConnections": "lamplighter_http_connections",
        "limits.memoryMegabytes": "process_resident_memory_bytes",
    ]

    private static func used(_ key: String, _ context: ConsoleContext) -> Double? {
        guard let metric = measured[key] else { return nil }
        let readings = context.run.metrics.readings(metric)
        guard !readings.isEmpty else { return nil }
        let sum = readings.map(\.value).reduce(0, +)
        return key.hasSuffix("Megabytes") ? sum / 1_048_576 : sum
    }
}
