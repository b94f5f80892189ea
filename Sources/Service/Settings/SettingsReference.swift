package import JSON

/// The reference of all settings, made from the table.
package enum SettingsReference {
    /// A Markdown table: name, environment variable, what it takes, default, what it does.
    package static var markdown: String {
        let head =
            "| setting | environment | takes | default | what it does |\n|---|---|---|---|---|"
        let rows = SettingsTable.all.map { setting in
            let unit = setting.unit.isEmpty ? "" : ", \(setting.unit)"
            let takes = setting.kindText.replacing("|", with: ", ") + unit
            let standard = setting.standard.text.isEmpty ? "–" : "`\(setting.standard.text)`"
            return "| `\(setting.key)` | `\(setting.environmentName)` | \(takes) | \(standard)"
                + " | \(setting.doc) |"
        }
        return ([head] + rows).joined(separator: "\n")
    }
}

extension SettingValue {
    /// The value as JSON of its own kind.
    package var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .integer(let number): .integer(Int64(number))
        case .flag(let truth): .bool(truth)
        case .list(let items): .array(items.map(JSONValue.string))
        }
    }
}
