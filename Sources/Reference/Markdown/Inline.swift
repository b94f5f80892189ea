/// Converts the text of a block to HTML or to plain words.
struct Inline {
    /// Returns the text as HTML; links to `page.md` become links to `page.html`.
    static func html(_ text: String) -> String {
        parts(text).map { part in
            switch part {
            case .text(let text): escape(text)
            case .code(let text): "<code>\(escape(text))</code>"
            case .strong(let text): "<strong>\(html(text))</strong>"
            case .link(let text, let target):
                "<a href=\"\(escape(address(target)))\">\(html(text))</a>"
            }
        }.joined()
    }

    /// Returns the text without markup, for the search.
    static func words(_ text: String) -> String {
        parts(text).map { part in
            switch part {
            case .text(let text), .code(let text): text
            case .strong(let text), .link(let text, _): words(text)
            }
        }.joined()
    }

    /// Escapes a text for HTML.
    static func escape(_ text: String) -> String {
        var out = ""
        for character in text {
            switch character {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            default: out.append(character)
            }
        }
        return out
    }

    /// Returns the address of a link between the HTML pages.
    static func address(_ target: String) -> String {
        guard !target.contains("://") else { return target }
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let page = parts[0].hasSuffix(".md") ? parts[0].dropLast(3) + ".html" : parts[0]
        return page + (parts.count > 1 ? "#" + parts[1] : "")
    }

    // MARK: Reading

    private enum Part {
        case text(String)
        case code(String)
        case strong(String)
        case link(String, target: String)
    }

    private static func parts(_ text: String) -> [Part] {
        var parts: [Part] = []
        var plain = ""
        var rest = text[...]
        func flush() {
            if !plain.isEmpty { parts.append(.text(plain)) }
            plain = ""
        }
        while let character = rest.first {
            if character == "\\", let next = rest.dropFirst().first, !next.isLetter, !next.isNumber
            {
                plain.append(next)
                rest = rest.dropFirst(2)
            } else if let (part, after) = special(rest) {
                flush()
                parts.append(part)
                rest = after
            } else {
                plain.append(character)
                rest.removeFirst()
            }
        }
        flush()
        return parts
    }

    private static func special(_ rest: Substring) -> (Part, Substring)? {
        if rest.first == "`" {
            let ticks = rest.prefix { $0 == "`" }
            let inside = rest.dropFirst(ticks.count)
            guard let end = inside.firstRange(of: ticks) else { return nil }
            let code = inside[..<end.lowerBound]
            let text = ticks.count > 1 ? String(code.trimmed) : String(code)
            return (.code(text), inside[end.upperBound...])
        }
        if rest.hasPrefix("**"), let end = rest.dropFirst(2).firstRange(of: "**") {
            return (.strong(String(rest.dropFirst(2)[..<end.lowerBound])), rest[end.upperBound...])
        }
        guard rest.first == "[", let middle = rest.firstRange(of: "]("),
            let end = rest[middle.upperBound...].firstIndex(of: ")")
        else { return nil }
        let text = String(rest[rest.index(after: rest.startIndex)..<middle.lowerBound])
        let target = String(rest[middle.upperBound..<end])
        return (.link(text, target: target), rest[rest.index(after: end)...])
    }
}
