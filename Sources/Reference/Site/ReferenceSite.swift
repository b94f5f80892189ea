/// The reference as files: self-contained HTML, Markdown, and the files that the examples need.
package struct ReferenceSite: Sendable {
    /// The files by their paths below one folder.
    package let files: [String: String]

    /// Creates all files of a book.
    package init(_ book: ReferenceBook) {
        var files: [String: String] = [:]
        for name in ["style.css", "search.js", "icon.svg"] { files[name] = Texts.text(name) }
        for name in Inclusion.files { files["examples/" + name] = Texts.text(name) }
        for (name, text) in Playground(contract: book.contract).files {
            files["try/" + name] = text
        }
        for page in book.pages {
            let blocks = BlockReader.read(page.markdown)
            files[page.name + ".html"] = PageFrame(book: book, page: page, blocks: blocks).html
            files["markdown/\(page.name).md"] = MarkdownWriter.text(page.markdown)
            for case .fence(let info, let lines) in blocks {
                guard let diagram = Diagram(info: info, lines: lines) else { continue }
                files["markdown/\(diagram.name).svg"] = diagram.svg(isAlone: true)
            }
        }
        files["search-index.js"] = SearchIndex(book).script
        self.files = files
    }

    /// Returns the media type of a file.
    package static func mediaType(of path: String) -> String {
        let ending = path.split(separator: ".").last.map(String.init) ?? ""
        let type =
            switch ending {
            case "html": "text/html"
            case "css": "text/css"
            case "js", "mjs": "text/javascript"
            case "json": "application/json"
            case "svg": "image/svg+xml"
            case "md": "text/markdown"
            default: "text/plain"
            }
        return type + "; charset=utf-8"
    }
}

/// Converts a page's text to Markdown that every program reads: anchors as elements, diagrams as
/// pictures.
enum MarkdownWriter {
    /// Returns the converted text.
    static func text(_ source: String) -> String {
        var out: [String] = []
        var diagram: (opening: String, lines: [String])?
        for line in source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        {
            if let open = diagram {
                if line == "```" {
                    let found = Diagram(info: String(open.opening.dropFirst(3)), lines: open.lines)
                    out.append(found.map { "![\($0.title)](\($0.name).svg)" } ?? "")
                    diagram = nil
                } else {
                    diagram?.lines.append(line)
                }
            } else if line.hasPrefix("```sequence ") || line.hasPrefix("```states ") {
                diagram = (line, [])
            } else if line.hasPrefix("#"), line.hasSuffix("}"),
                let start = line.firstRange(of: " {#")
            {
                out += [
                    "<a id=\"\(line[start.upperBound...].dropLast())\"></a>", "",
                    String(line[..<start.lowerBound]),
                ]
            } else {
                out.append(line)
            }
        }
        return out.joined(separator: "\n")
    }
}
