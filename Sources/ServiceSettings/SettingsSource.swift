import Configuration
import Problems

/// A source of settings: a provider of values, and the origin to show for them.
struct SettingsSource {
    /// The prefix of every key in this source.
    let prefix: [String]
    let provider: any ConfigProvider
    /// The function that returns the origin to show for a setting that this source contains.
    let origin: (Setting) -> Settings.Origin

    /// Reads a setting from this source, or returns nil if it is missing.
    ///
    /// - Throws: A `Problem` if the value is not of the setting's kind.
    func value(of setting: Setting) throws -> SettingValue? {
        let key = AbsoluteConfigKey(prefix + setting.key.split(separator: ".").map(String.init))
        return try setting.configTypes.lazy
            .compactMap { try? provider.value(forKey: key, type: $0).value }
            .compactMap { setting.value(of: $0.content) }
            .first
            ?? failure(setting, key)
    }

    /// Returns nil for a missing value, and throws a `Problem` for an unreadable value.
    private func failure(_ setting: Setting, _ key: AbsoluteConfigKey) throws -> SettingValue? {
        do {
            for type in setting.configTypes {
                guard try provider.value(forKey: key, type: type).value == nil else { break }
                return nil
            }
        } catch {}
        let (fault, origin) = ("must be \(setting.demand)", origin(setting).text)
        throw Problem.settingInvalid(key: setting.key, fault: fault, origin: origin, doc: setting.doc)
    }
}

extension Setting {
    /// The value types to request from swift-configuration, in the order in which the program tries them.
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
