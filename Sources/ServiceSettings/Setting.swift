/// The value of a setting of any kind.
package enum SettingValue: Sendable, Equatable {
    case text(String)
    case integer(Int)
    case flag(Bool)
    case list([String])

    /// The value as text, with commas between the items of a list.
    package var text: String {
        switch self {
        case .text(let text): text
        case .integer(let number): String(number)
        case .flag(let truth): String(truth)
        case .list(let items): items.joined(separator: ",")
        }
    }
}

/// A row of the table of settings, with everything about a setting except its value.
package struct Setting: Sendable {
    /// The kind of a setting's values.
    package enum Kind: Sendable, Equatable {
        /// Any text; empty means not set.
        case text
        /// A whole number within bounds.
        case integer(ClosedRange<Int>)
        /// A time such as `90s`, `30m`, `12h` or `1d`, with bounds in seconds.
        case duration(ClosedRange<Int>)
        /// True or false.
        case flag
        /// One of the given words.
        case choice([String])
        /// Any of the given words, each at most once, separated by commas or as an array.
        case choices([String])
    }

    /// The setting's name, such as `mqtt.port` for `port` under `mqtt` in the configuration file.
    package let key: String
    /// The kind of the setting's values.
    package let kind: Kind
    /// The default value.
    package let standard: SettingValue
    /// The unit of a number; empty if the number has none.
    package let unit: String
    /// One sentence about the setting's effect.
    package let doc: String
    /// Whether the value is secret and must be hidden in all output.
    package let isSecret: Bool

    init(_ key: String, _ kind: Kind, standard: SettingValue, unit: String, effect: String, isSecret: Bool = false) {
        (self.key, self.kind, self.standard, self.unit) = (key, kind, standard, unit)
        doc = effect
        self.isSecret = isSecret
    }

    /// The setting's environment variable, such as `LAMPLIGHTER_MQTT_PORT` or `LAMPLIGHTER_HTTP_PUBLIC_URL`.
    package var environmentName: String {
        var name = "LAMPLIGHTER_"
        for character in key {
            if character == "." {
                name += "_"
            } else {
                if character.isUppercase { name += "_" }
                name += character.uppercased()
            }
        }
        return name
    }
}
