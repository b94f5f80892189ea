/// An entry of `schemas/settings.yaml`; the head of that file documents the fields.
struct Declaration {
    /// The setting's key, or the Swift path of a limit that is not a setting.
    let key: String
    private var fields: [String: String] = [:]
    private static let names = ["takes", "default", "effect", "swift", "type", "times", "gate", "max"]

    /// Reads all entries, each of which is a key at the start of a line, followed by indented fields.
    static func all(in text: String) throws -> [Declaration] {
        var all: [Declaration] = []
        for line in text.split(separator: "\n") where !line.isEmpty && !line.hasPrefix("#") {
            guard let colon = line.firstIndex(of: ":") else { throw Fault("no colon: \(line)") }
            let name = line[..<colon].filter { $0 != " " }
            guard line.hasPrefix("  ") else {
                all.append(Declaration(key: name))
                continue
            }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            let isQuoted = value.count > 1 && value.hasPrefix("\"") && value.hasSuffix("\"")
            guard !all.isEmpty, names.contains(name), all[all.count - 1].fields[name] == nil else {
                throw Fault("a field that is unknown, misplaced or double: \(line)")
            }
            let text = isQuoted ? value.dropFirst().dropLast() : value
            all[all.count - 1].fields[name] = String(text)
        }
        return all
    }

    /// The kind of values that the setting accepts, or nil for a limit that isn't a setting.
    ///
    /// The kinds are `text`, `flag`, `one of …`, `some of …`, `time A...B` and `A...B unit`.
    var takes: String? { fields["takes"] }
    /// The default value as text.
    var standard: String { fields["default"] ?? "" }
    /// The sentence that tells operators what the setting does.
    var effect: String { fields["effect"] ?? "" }
    /// The Swift type of the property, or nil if the kind of values determines it.
    var type: String? { fields["type"] }
    /// The factor from the setting's unit to the property's unit, such as 86,400 (days to seconds).
    var factor: Int { fields["times"].flatMap(Self.number) ?? 1 }
    /// The name of the gate's option that the setting sets, or nil if it sets no option.
    var option: String? { fields["gate"] }
    /// The largest number that the gate's option accepts, by default 2,000,000,000.
    var optionMax: Int { fields["max"].flatMap(Self.number) ?? 2_000_000_000 }
    /// The default value in the property's unit.
    var number: Int { (Self.number(standard) ?? 0) * factor }

    /// The path of the Swift property: the enclosing type, the property's group (if any) and its name.
    var path: [Substring] { (fields["swift"] ?? key).split(separator: ".") }

    /// The doc comment of the generated property.
    var comment: String { "/// \(effect)" }

    /// Reads a whole number with optional underscores.
    static func number(_ text: String) -> Int? { Int(text.filter { $0 != "_" }) }
}
