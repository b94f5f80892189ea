import Configuration
import Problems

/// A layer of the configuration: a provider, with the displayed origin of its values.
struct SettingsSource {
    /// Prefix of every key in this layer.
    let prefix: [String]
    let provider: any ConfigProvider
    /// Returns the origin to show for a setting that has its value from this layer.
    let origin: (Setting) -> Settings.Origin

    /// Reads a setting from this layer; nil if the layer doesn't have it.
    ///
    /// - Throws: A `Problem` if the value is of another kind.
    func value(of setting: Setting) throws -> SettingValue? {
        let key = AbsoluteConfigKey(prefix + setting.key.split(separator: ".").map(String.init))
        do {
            return try setting.configTypes.lazy
                .compactMap { try? provider.value(forKey: key, type: $0).value }
                .compactMap { setting.value(of: $0.content) }
                .first
                ?? failure(setting, key)
        }
    }

    /// Returns nil for an absent value, and throws for a value that can't be read.
    private func failure(_ setting: Setting, _ key: AbsoluteConfigKey) throws -> SettingValue? {
        do {
            for type in setting.configTypes {
                guard try provider.value(forKey: key, type: type).value == nil else { break }
                return nil
            }
        } catch {}
        throw Problem(
            .settingInvalid,
            "\(setting.key) must be \(setting.demand) (\(origin(setting).text))",
            at: origin(setting).text,
            why: setting.doc,
            cures: [.init("lamplighter config", "every setting with its kind and unit")]
        )
    }
}

extension Setting {
    /// The kind's types in swift-configuration; the second is tried if the first doesn't fit.
    fileprivate var configTypes: [ConfigType] {
        switch kind {
        case .text, .choice, .duration: [.string]
        case .integer: [.int]
        case .flag: [.bool]
        case .choices: [.stringArray, .string]
        }
    }

    fileprivate func value(of content: ConfigContent) -> SettingValue? {
        switch content {
        case .string(let text): parse(text)
        case .int(let number): .integer(number)
        case .bool(let truth): .flag(truth)
        case .stringArray(let items): .list(items.flatMap(Setting.items))
        default: nil
        }
    }
}
