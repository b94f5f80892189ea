/// Writes blocks as HTML.
struct HTMLWriter {
    /// The names of the examples' languages.
    static let languages = [
        "sh": "Shell", "c": "C", "python": "Python", "javascript": "JavaScript", "swift": "Swift",
        "json": "JSON", "html": "HTML", "text": "Text",
    ]

    /// Returns the blocks as HTML.
    static func html(_ blocks: [Block]) -> String {
        var out: [String] = []
        var rest = blocks[...]
        while let block = rest.first {
            let group = examples(rest)
            if group.count > 1 {
                out.append(tabs(group))
                rest = rest.dropFirst(group.count)
            } else {
                out.append(html(block))
                rest.removeFirst()
            }
        }
        return out.joined(separator: "\n")
    }

    /// Returns the examples in several languages at the beginning of some blocks.
    private static func examples(_ blocks: ArraySlice<Block>) -> [(info: String, lines: [String])] {
        var found: [(info: String, lines: [String])] = []
        for block in blocks {
            guard case .fence(let info, let lines) = block, languages[info] != nil, info != "json",
                !found.contains(where: { $0.info == info })
            else { break }
            found.append((info, lines))
        }
        return found
    }

    private static func tabs(_ group: [(info: String, lines: [String])]) -> String {
        let inner = group.enumerated().map { index, one in
            "<details class=\"language\" data-language=\"\(one.info)\"\(index == 0 ? " open=\"\"" : "")>"
                + "<summary>\(languages[one.info] ?? one.info)</summary>\(code(one.info, one.lines))</details>"
        }
        return "<div class=\"examples\">" + inner.joined() + "</div>"
    }

    private static func code(_ info: String, _ lines: [String]) -> String {
        "<pre tabindex=\"0\" class=\"code \(Inline.escape(info))\"><code>\(Inline.escape(lines.joined(separator: "\n")))</code></pre>"
    }

    private static func html(_ block: Block) -> String {
        switch block {
        case .heading(let level, let text, let anchor):
            let sign =
                "<a class=\"here\" href=\"#\(anchor)\" aria-label=\"Link to this section\">#</a>"
            return
                "<h\(level) id=\"\(anchor)\">\(Inline.html(text))\(level > 1 ? " " + sign : "")</h\(level)>"
        case .paragraph(let text): return "<p>\(Inline.html(text))</p>"
        case .quote(let text): return "<blockquote><p>\(Inline.html(text))</p></blockquote>"
        case .list(let items, let isNumbered):
            let name = isNumbered ? "ol" : "ul"
            let inner = items.map { "<li>\(Inline.html($0))</li>" }.joined(separator: "\n")
            return "<\(name)>\n\(inner)\n</\(name)>"
        case .table(let titles, let rows): return table(titles, rows)
        case .fence(let info, let lines):
            if let diagram = Diagram(info: info, lines: lines) {
                return "<figure tabindex=\"0\">\(diagram.svg(isAlone: false))"
                    + "<figcaption>\(Inline.escape(diagram.title))</figcaption></figure>"
            }
            return code(info, lines)
        }
    }

    private static func table(_ titles: [String], _ rows: [[String]]) -> String {
        func row(_ cells: [String], _ name: String) -> String {
            "<tr>"
                + cells.map { text in
                    // Screen readers announce an empty header for each cell.
                    let name = text.isEmpty ? "td" : name
                    return "<\(name)>\(Inline.html(text))</\(name)>"
                }.joined() + "</tr>"
        }
        return
            "<div class=\"table\" tabindex=\"0\"><table>\n<thead>\(row(titles, "th"))</thead>\n<tbody>\n"
            + rows.map { row($0, "td") }.joined(separator: "\n") + "\n</tbody>\n</table></div>"
    }
}
