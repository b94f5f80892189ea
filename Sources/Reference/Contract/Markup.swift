import Domain

/// Converts plain texts to the reference's Markdown.
enum Markup {
    /// Escapes Markdown's special characters outside code between backticks; `(reference:
    /// PAGE#ANCHOR)` becomes a link.
    static func escape(_ text: String) -> String {
        var out = ""
        var isCode = false
        for character in text {
            if character == "`" { isCode.toggle() }
            if !isCode, "*<>[]_#".contains(character) { out += "\\" }
            out.append(character)
        }
        return out.replacing(/\(reference: ([a-z-]+)\\#([A-Za-z0-9-]+)\)/) { match in
            "([the rules](\(match.1).md#\(match.2)))"
        }
    }

    /// Returns an escaped text, with links in place of error codes and methods named in plain
    /// words.
    static func prose(_ text: String) -> String {
        let parts = escape(text).split(separator: "`", omittingEmptySubsequences: false)
        return parts.enumerated().map { index, part in
            index.isMultiple(of: 2) ? linked(part) : String(part)
        }.joined(separator: "`")
    }

    private static func linked(_ text: Substring) -> String {
        String(text).replacing(/[A-Za-z]+(?:\/[A-Za-z]+)?/) { match in
            let word = String(match.0)
            if ErrorCode(rawValue: word) != nil { return "[\(word)](errors.md#\(word))" }
            guard let method = methods[word] else { return word }
            return "[\(word)](service-\(method.service).md#\(method.anchor))"
        }
    }

    private static let methods = Dictionary(
        Contract.builtIn.methods.map { ($0.name, $0) },
        uniquingKeysWith: { first, _ in first }
    )

    /// Returns a text as code, in double backticks if it contains one.
    static func code(_ text: String) -> String {
        text.contains("`") ? "`` \(text) ``" : "`\(text)`"
    }

    /// Returns a cell of a table: one line with escaped bars.
    static func cell(_ text: String) -> String {
        text.replacing("\n", with: " ").replacing("|", with: "\\|")
    }

    /// Returns a table with a row of titles.
    static func table(_ titles: [String], _ rows: [[String]]) -> String {
        guard !rows.isEmpty else { return "" }
        let lines = [titles, titles.map { _ in "---" }] + rows.map { $0.map(cell) }
        return lines.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }

    /// Returns words separated by commas, with a conjunction between the last two.
    static func list(_ words: [String], _ conjunction: String) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }
}
