package import JSON

/// The table of all settings, which the service, `lamplighter config` and the reference use.
///
/// To add a setting, add an entry to schemas/settings.yaml, from which the build creates the rows.
package enum SettingsTable {
    private static let byKey = Dictionary(all.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })

    /// Returns the setting that has the given key, or nil if no setting has this key.
    package static func setting(_ key: String) -> Setting? { byKey[key] }

    /// Returns the key that is most similar to a misspelled key, or nil if no key is similar enough.
    static func suggestion(for key: String) -> String? { Suggestion.nearest(to: key, among: all.map(\.key)) }
}

/// The reference of all settings, which is created from the table.
package enum SettingsReference {
    /// A Markdown table of each setting's name, environment variable, values, default and effect.
    package static var markdown: String {
        let head = "| setting | environment | takes | default | what it does |\n|---|---|---|---|---|"
        let rows = SettingsTable.all.map { setting in
            let unit = setting.unit.isEmpty ? "" : ", \(setting.unit)"
            let takes = setting.kindText.replacing("|", with: ", ") + unit
            let standard = setting.standard.text.isEmpty ? "–" : "`\(setting.standard.text)`"
            return "| `\(setting.key)` | `\(setting.environmentName)` | \(takes) | \(standard)" + " | \(setting.doc) |"
        }
        return ([head] + rows).joined(separator: "\n")
    }
}

extension SettingValue {
    /// The value as a JSON value of the matching type.
    package var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .integer(let number): .integer(Int64(number))
        case .flag(let truth): .bool(truth)
        case .list(let items): .array(items.map(JSONValue.string))
        }
    }
}
