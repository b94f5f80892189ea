/// Generates the Swift table of settings, and the properties that read the settings.
enum TableSource {
    static func text(_ declarations: [Declaration]) -> String {
        let settings = declarations.filter { $0.takes != nil }
        let options = settings.filter { $0.option != nil }.map {
            "        (\"\($0.option ?? "")\", \"\($0.key)\", \($0.factor)),\n"
        }
        return """
            extension SettingsTable {
                /// All rows, in the order they are shown.
                package static let all: [Setting] = {
                    var rows: [Setting] = []
            \(settings.map(row).joined())
                    return rows
                }()

                /// The options of the gate that have a setting.
                ///
                /// An option's value is the value of the setting with the key `key`, times `factor`.
                static let gateOptions: [(option: String, key: String, factor: Int)] = [
            \(options.joined())
                ]
            }

            extension Settings {
            \(settings.filter { $0.path[0] == "Settings" }.map(property).joined())
            }

            """
    }

    private static func row(_ setting: Declaration) -> String {
        let kind = kind(setting)
        return "        rows.append(Setting(\"\(setting.key)\", \(kind.text), "
            + "standard: \(kind.standard), unit: \"\(kind.unit)\", " + "effect: \"\(setting.effect)\"))\n"
    }

    /// Returns a setting's kind and default value as Swift source, and its unit's name.
    private static func kind(_ setting: Declaration) -> (text: String, standard: String, unit: Substring) {
        let takes = setting.takes ?? ""
        let words = takes.split(separator: " ", maxSplits: 1)
        let text = ".text(\"\(setting.standard)\")"
        switch words[0] {
        case "text": return (".text", text, "")
        case "flag": return (".flag", ".flag(\(setting.standard))", "")
        case "one": return (".choice([\(list(takes.dropFirst("one of ".count)))])", text, "")
        case "some":
            let all = list(takes.dropFirst("some of ".count))
            return (".choices([\(all)])", ".list([\(list(setting.standard[...]))])", "")
        case "time": return (".duration(\(words[1]))", text, "")
        default:
            let unit = words.count > 1 ? words[1] : ""
            return (".integer(\(words[0]))", ".integer(\(setting.standard))", unit)
        }
    }

    private static func list(_ text: Substring) -> String {
        text.split(separator: ", ").map { "\"\($0)\"" }.joined(separator: ", ")
    }

    private static func property(_ setting: Declaration) -> String {
        let key = "\"\(setting.key)\""
        let takes = setting.takes ?? ""
        let (type, value) =
            switch takes.split(separator: " ").first {
            case "flag": ("Bool", "flag(\(key))")
            case "text" where setting.type == "optional": ("String?", "optional(\(key))")
            case "text", "one": ("String", "text(\(key))")
            case "time": ("Int", "seconds(\(key))")
            default: (setting.type ?? "Int", "\(setting.type ?? "Int")(integer(\(key))) * \(setting.factor)")
            }
        return "    \(setting.comment)\n    package var \(setting.path[1]): \(type) { \(value) }\n"
    }
}
