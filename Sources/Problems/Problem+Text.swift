package import JSON

extension Problem {
    /// The text at the end of a command's output, where users see it.
    package var text: String {
        var lines = ["error \(code.rawValue)  \(message)"]
        let indent = "\n        "
        lines.append("  why   " + why.split(separator: "\n").joined(separator: indent))
        let width = cures.map(\.command.count).max() ?? 0
        for (index, cure) in cures.enumerated() {
            let label = index == 0 ? "  do    " : "    or  "
            let gap = String(repeating: " ", count: width - cure.command.count)
            lines.append(label + cure.command + (cure.title.isEmpty ? "" : gap + "   " + cure.title))
        }
        lines.append("  more  lamplighter explain \(code.rawValue)")
        return lines.joined(separator: "\n")
    }

    /// The problem as JSON: `{"error": {"code", "message", "where", "cause", "cures", "doc"}}`.
    package var json: JSONValue {
        let ways = cures.map { cure -> JSONValue in
            .object([
                "title": .string(cure.title), "command": .string(cure.command),
            ])
        }
        return .object([
            "error": .object([
                "code": .string(code.rawValue), "message": .string(message),
                "where": place.map(JSONValue.string), "cause": .string(why),
                "cures": .array(ways),
                "doc": .string("lamplighter explain \(code.rawValue)"),
            ])
        ])
    }
}
