package import JSON

/// The settings of this process, each with its value and origin.
package struct Settings: Sendable {
    /// The origin of a setting's value: later cases take precedence over earlier ones.
    package enum Origin: Sendable, Equatable {
        case standard
        case file(String)
        case environment(String)
        case flag

        /// The origin as `lamplighter config` shows it.
        package var text: String {
            switch self {
            case .standard: "default"
            case .file(let path): "file \(path)"
            case .environment(let name): "environment \(name)"
            case .flag: "flag"
            }
        }
    }

    /// A setting's row in the table, its value and its origin.
    package struct Entry: Sendable {
        /// The setting's row in the table.
        package let setting: Setting
        /// The setting's value.
        package let value: SettingValue
        /// The origin of the value.
        package let origin: Origin

        /// The value to show, in which secrets and credentials in URLs are masked.
        package var shown: String {
            guard !setting.isSecret else { return value.text.isEmpty ? "" : "***" }
            guard case .text(let text) = value else { return value.text }
            guard setting.key == "regions.endpoints" else {
                return MaskedURL.text(text, isURL: setting.key.lowercased().hasSuffix("url"))
            }
            return text.split(separator: ",", omittingEmptySubsequences: false)
                .map { MaskedURL.text(String($0), isURL: false) }
                .joined(separator: ",")
        }

        /// The value to show, as a JSON value of the setting's kind.
        package var shownJSON: JSONValue {
            if case .text = value { return .string(shown) }
            return setting.isSecret ? .string(shown) : value.json
        }
    }

    /// The absolute path of the configuration file, or nil if no file was read.
    package let file: String?
    private let values: [String: Entry]

    init(file: String?, entries: [Entry]) {
        self.file = file
        values = Dictionary(entries.map { ($0.setting.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// All settings in the table's order.
    package var entries: [Entry] { SettingsTable.all.compactMap { values[$0.key] } }

    /// Returns the value of a setting that is in the table.
    func value(_ key: String) -> SettingValue {
        guard let entry = values[key] else { preconditionFailure("no setting \(key)") }
        return entry.value
    }

    /// Returns the origin of a setting's value, for a setting that is in the table.
    func origin(_ key: String) -> Origin { values[key]?.origin ?? .standard }

    func text(_ key: String) -> String { value(key).text }

    func integer(_ key: String) -> Int {
        guard case .integer(let number) = value(key) else { preconditionFailure("\(key): kind") }
        return number
    }

    /// Returns the value, in seconds, of a setting that is a time.
    func seconds(_ key: String) -> Int {
        guard let seconds = Setting.seconds(text(key)) else { preconditionFailure("\(key): kind") }
        return seconds
    }

    func flag(_ key: String) -> Bool { value(key) == .flag(true) }

    func list(_ key: String) -> [String] {
        guard case .list(let items) = value(key) else { preconditionFailure("\(key): kind") }
        return items
    }

    /// Returns a setting's value as text, or nil if the text is empty.
    func optional(_ key: String) -> String? {
        let text = text(key)
        return text.isEmpty ? nil : text
    }
}
