import Configuration
import Problems

/// A reader of the settings: the environment takes precedence over the file, and flags over both.
package struct SettingsReader {
    private let environment: [String: String]
    private let flags: [String: String]
    private let file: String?

    /// Prepares to read the settings.
    ///
    /// - Parameters:
    ///   - file: The path of a YAML or JSON file, or nil for the path in `LAMPLIGHTER_CONFIG`.
    ///   - environment: The process's environment.
    ///   - flags: The values from the command line, as text, under the settings' keys.
    package init(file: String?, environment: [String: String], flags: [String: String]) {
        let named = environment["LAMPLIGHTER_CONFIG"]
        self.file = file ?? (named?.isEmpty == false ? named : nil)
        self.environment = environment
        self.flags = flags
    }

    /// Reads and checks every setting.
    ///
    /// - Throws: A `Problem` that names the setting, its origin and the fault.
    package func read() async throws -> Settings {
        var sources = [try flagSource(), environmentSource()]
        var path: String?
        if let file {
            let opened = try await SettingsFile.open(file)
            path = opened.path
            sources.append(SettingsSource(prefix: [], provider: opened.provider) { _ in .file(opened.path) })
        }
        let entries = try SettingsTable.all.map { try entry($0, from: sources) }
        return Settings(file: path, entries: entries)
    }

    /// Warnings about environment variables that look like settings but aren't.
    package var notes: [String] {
        let known = SettingsTable.all.map(\.environmentName) + ["LAMPLIGHTER_CONFIG"]
        return environment.keys.sorted().compactMap { name in
            guard name.hasPrefix("LAMPLIGHTER_"), !known.contains(name),
                let meant = Suggestion.nearest(to: name, among: known)
            else { return nil }
            return "\(name) in the environment is not a setting; did you mean \(meant)?"
        }
    }

    private func entry(_ setting: Setting, from sources: [SettingsSource]) throws -> Settings.Entry {
        for source in sources {
            guard let value = try source.value(of: setting) else { continue }
            let origin = source.origin(setting)
            if let objection = setting.objection(to: value) {
                throw Problem.settingInvalid(key: setting.key, fault: objection, origin: origin.text, doc: setting.doc)
            }
            if setting.key == StoreSetting.key { try StoreSetting.check(value.text, from: origin.text) }
            return Settings.Entry(setting: setting, value: value, origin: origin)
        }
        return Settings.Entry(setting: setting, value: setting.standard, origin: .standard)
    }

    private func environmentSource() -> SettingsSource {
        let own = environment.filter { $0.key.hasPrefix("LAMPLIGHTER_") && !$0.value.isEmpty }
        return SettingsSource(
            prefix: ["lamplighter"],
            provider: EnvironmentVariablesProvider(environmentVariables: own)
        ) { .environment($0.environmentName) }
    }

    private func flagSource() throws -> SettingsSource {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for (key, text) in flags {
            guard let setting = SettingsTable.setting(key) else { throw SettingsFile.unknown(key, at: "flag") }
            let content = setting.parse(text).map(content) ?? .string(text)
            values[AbsoluteConfigKey(key.split(separator: ".").map(String.init))] =
                ConfigValue(content, isSecret: setting.isSecret)
        }
        return SettingsSource(prefix: [], provider: InMemoryProvider(values: values)) { _ in .flag }
    }

    private func content(_ value: SettingValue) -> ConfigContent {
        switch value {
        case .text(let text): .string(text)
        case .integer(let number): .int(number)
        case .flag(let truth): .bool(truth)
        case .list(let items): .stringArray(items)
        }
    }
}
