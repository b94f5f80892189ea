/// A block of a page, read from the reference's Markdown.
///
/// The reference uses a small part of Markdown: headings with `{#anchor}`, paragraphs, lists of one
/// level, tables, quotes and fences. All generated pages keep to it, and other programs read it the
/// same way.
enum Block: Equatable {
    case heading(level: Int, text: String, anchor: String)
    case paragraph(String)
    case list(items: [String], isNumbered: Bool)
    case table(titles: [String], rows: [[String]])
    case quote(String)
    case fence(info: String, lines: [String])
}

/// Reads a page's blocks.
struct BlockReader {
    private var lines: ArraySlice<String>

    /// Returns the blocks of a text.
    static func read(_ text: String) -> [Block] {
        var reader = BlockReader(
            lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[
                ...
            ]
        )
        var blocks: [Block] = []
        while let block = reader.next() { blocks.append(block) }
        return blocks
    }

    private mutating func next() -> Block? {
        while let line = lines.first, line.allSatisfy(\.isWhitespace) { lines.removeFirst() }
        guard let line = lines.first else { return nil }
        if line.hasPrefix("```") { return fence() }
        if line.hasPrefix("#") { return heading() }
        if line.hasPrefix("|") { return table() }
        if line.hasPrefix("- ") { return list(isNumbered: false) }
        if Self.number(line) != nil { return list(isNumbered: true) }
        if line.hasPrefix(">") {
            return .quote(
                take { $0.hasPrefix(">") }.map { $0.drop { "> ".contains($0) } }.joined(
                    separator: " "
                )
            )
        }
        let first = lines.removeFirst()
        return .paragraph(([first] + take(Self.goesOn)).joined(separator: " "))
    }

    private mutating func take(_ fits: (String) -> Bool) -> [String] {
        let taken = lines.prefix(while: fits)
        lines = lines.dropFirst(taken.count)
        return Array(taken)
    }

    private static func goesOn(_ line: String) -> Bool {
        !line.allSatisfy(\.isWhitespace) && !line.hasPrefix("```") && !line.hasPrefix("#")
            && !line.hasPrefix("|") && !line.hasPrefix("- ") && number(line) == nil
            && !line.hasPrefix(">")
    }

    private static func number(_ line: String) -> Substring? {
        let digits = line.prefix(while: \.isNumber)
        return !digits.isEmpty && line.dropFirst(digits.count).hasPrefix(". ") ? digits : nil
    }

    private mutating func fence() -> Block {
        let opening = lines.removeFirst()
        let ticks = String(opening.prefix { $0 == "`" })
        let inside = take { $0 != ticks }
        if !lines.isEmpty { lines.removeFirst() }
        return .fence(info: String(opening.dropFirst(ticks.count)), lines: inside)
    }

    private mutating func heading() -> Block {
        let line = lines.removeFirst()
        let level = line.prefix { $0 == "#" }.count
        var text = String(line.dropFirst(level).drop(while: \.isWhitespace))
        var anchor = Self.slug(text)
        if text.hasSuffix("}"), let start = text.firstRange(of: " {#") {
            anchor = String(text[start.upperBound...].dropLast())
            text = String(text[..<start.lowerBound])
        }
        return .heading(level: level, text: text, anchor: anchor)
    }

    /// Returns a heading's anchor: lowercase letters and digits, with hyphens between them.
    static func slug(_ text: String) -> String {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    }

    private mutating func list(isNumbered: Bool) -> Block {
        var items: [String] = []
        while let line = lines.first {
            let mark =
                isNumbered
                ? Self.number(line).map { $0.count + 2 } : (line.hasPrefix("- ") ? 2 : nil)
            guard let mark else { break }
            lines.removeFirst()
            let rest = take { $0.hasPrefix(" ") && !$0.allSatisfy(\.isWhitespace) }
            items.append(
                ([String(line.dropFirst(mark))]
                    + rest.map { String($0.drop(while: \.isWhitespace)) })
                    .joined(separator: " ")
            )
        }
        return .list(items: items, isNumbered: isNumbered)
    }

    private mutating func table() -> Block {
        let rows = take { $0.hasPrefix("|") }.map(Self.cells)
        return .table(titles: rows.first ?? [], rows: Array(rows.dropFirst(2)))
    }

    private static func cells(_ line: String) -> [String] {
        var cells = [""]
        var isEscaped = false
        for character in line.dropFirst() {
            if character == "|", !isEscaped {
                cells.append("")
                continue
            }
            // The escape of a bar belongs to the table, not to the text.
            if character == "|" { cells[cells.count - 1].removeLast() }
            cells[cells.count - 1].append(character)
            isEscaped = character == "\\" && !isEscaped
        }
        if cells.last?.allSatisfy(\.isWhitespace) == true { cells.removeLast() }
        return cells.map { String($0.trimmed) }
    }
}

extension StringProtocol {
    /// The text without whitespace at both ends.
    var trimmed: SubSequence {
        let start = drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else {
            return start.prefix(0)
        }
        return start[...last]
    }
}
