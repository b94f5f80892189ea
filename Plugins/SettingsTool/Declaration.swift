/// An entry of `schemas/settings.yaml`, which documents the fields.
struct Declaration {
    /// The setting's key; for a limit without a setting its place in Swift.
    let key: String
    private var fields: [String: String] = [:]
    private static let names = ["takes", "default", "effect", "swift", "type", "times", "gate", "max"]

    /// Reads the entries: a key at the start of a line, then its fields, indented.
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

    private init(key: String) {
        self.key = key
    }

    /// The kind of values: `text`, `flag`, `one of …`, `some of …`, `time A...B` or `A...B unit`; nil for a limit that
    /// isn't a setting.
    var takes: String? { fields["takes"] }
    /// The default value as text.
    var standard: String { fields["default"] ?? "" }
    /// The sentence about the effect.
    var effect: String { fields["effect"] ?? "" }
    /// The type of the property, unless the kind of values gives it.
    var type: String? { fields["type"] }
    /// The number of the property's units in one of the setting's.
    var factor: Int { fields["times"].flatMap(Self.number) ?? 1 }
    /// The gate's option.
    var option: String? { fields["gate"] }
    /// The largest number that the gate accepts: by default more bytes than the largest setting has, a million KiB.
    var optionMax: Int { fields["max"].flatMap(Self.number) ?? 2_000_000_000 }
    /// The default value in the property's unit.
    var number: Int { (Self.number(standard) ?? 0) * factor }

    /// The property as a path: type, group if any, name.
    var path: [Substring] { (fields["swift"] ?? key).split(separator: ".") }

    /// The doc comment of the property.
    var comment: String { "/// \(effect)" }

    /// Reads a whole number with optional underscores.
    static func number(_ text: String) -> Int? { Int(text.filter { $0 != "_" }) }
}
