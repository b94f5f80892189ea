package import JSON
import Service
package import ServiceSettings
import Storage
import Web

/// The JSON form of settings and limits in the console's interface.
package enum SettingsView {
    /// Returns every setting with its value and origin, with secrets masked (`SettingList`).
    package static func all(_ settings: Settings) -> JSONObject {
        let items = settings.entries.map { entry in
            JSONObject(showing: [
                "key": entry.setting.key, "value": entry.shownJSON, "default": entry.setting.standard.json,
                "unit": entry.setting.unit, "kind": entry.setting.kindText, "origin": entry.origin.text,
                "environment": entry.setting.environmentName, "doc": entry.setting.doc,
                "secret": entry.setting.isSecret,
            ])
        }
        var list = Shown.page(items)
        list["file"] = settings.file?.shown
        return list
    }

    /// Returns the limits as JSON (`LimitList`).
    ///
    /// Some limits also have a figure that shows how much of the limit is used, and a count of refusals.
    static func limits(_ run: RunContext, _ store: Store) throws -> JSONObject {
        // Some metrics are sampled only when the metrics are rendered.
        _ = run.metrics.render()
        let rows = try store.read { tx in
            [
                "limits.deadLetters": try tx.deadLetters.count(), "limits.countRows": try tx.attempts.count(),
                "limits.refusals": try tx.refusals.count(),
            ]
        }
        let items = run.settings.entries.compactMap { entry -> JSONObject? in
            let key = entry.setting.key
            guard key.hasPrefix("limits."), case .integer(let value) = entry.value else { return nil }
            let used = rows[key].map(Double.init) ?? measured[key].flatMap { use($0, run) }
            return JSONObject(showing: [
                "key": key, "value": value, "unit": entry.setting.unit, "about": entry.setting.doc,
                "used": used.map(Shown.number), "rejected": rejected(key, run),
            ])
        }
        return Shown.page(items)
    }

    private struct Measure {
        var metric: String
        var isSum = false
        var unit = 1.0
        var labels = ""
    }

    private static let measured = [
        "limits.httpConnections": Measure(metric: "lamplighter_http_connections", isSum: true),
        "limits.memoryMegabytes": Measure(
            metric: "process_resident_memory_bytes",
            unit: 1_048_576
        ),
        "limits.outboxRows": Measure(metric: "lamplighter_outbox_rows"),
        "limits.outboxMegabytes": Measure(metric: "lamplighter_outbox_bytes", unit: 1_048_576),
        "limits.intakeMessages": Measure(metric: "lamplighter_intake_messages"),
        "limits.intakeMegabytes": Measure(metric: "lamplighter_intake_bytes", unit: 1_048_576),
        "limits.unanswered": Measure(metric: "lamplighter_oldest_unanswered_seconds"),
        "limits.hashQueue": Measure(metric: "lamplighter_pool_waiting", labels: "password"),
        "limits.slowQueueBytes": Measure(metric: "lamplighter_pool_waiting_bytes"),
    ]

    private static func use(_ measure: Measure, _ run: RunContext) -> Double? {
        let values = run.metrics.readings(measure.metric)
            .filter { measure.labels.isEmpty || $0.labels.contains(measure.labels) }
            .map(\.value)
        guard let most = values.max() else { return nil }
        let used = (measure.isSum ? values.reduce(0, +) : most) / measure.unit
        return (used * 10).rounded() / 10
    }

    private static func rejected(_ key: String, _ run: RunContext) -> JSONValue? {
        let label = "limit=\"\(key.dropFirst("limits.".count))\""
        return run.metrics.readings("lamplighter_limited_total")
            .first { $0.labels.contains(label) }
            .map { .integer(Int64($0.value)) }
    }
}
