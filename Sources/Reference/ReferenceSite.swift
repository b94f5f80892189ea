/// The files of the reference: the pages that `schemas/bundle.py` makes, and the playground.
package struct ReferenceSite: Sendable {
    /// The contents of the files, indexed by their paths relative to a common folder.
    package let files: [String: String]

    /// Creates the files; the pages show the program's version.
    package init(version: String) {
        var files = Dictionary(
            EmbeddedTexts.all.map { ($0.name, $0.text.description) },
            uniquingKeysWith: { first, _ in first }
        )
        let pages = files.removeValue(forKey: "reference.txt") ?? ""
        // Each file begins with a line with U+240C and the file's path. The file's text and a line break follow.
        for file in pages.unicodeScalars.split(separator: "\u{240C}") {
            let path = file.prefix { $0 != "\n" }
            let text = file[path.endIndex...].dropFirst().dropLast()
            files[String(path)] = String(text)
        }
        for (path, page) in files where path.hasSuffix(".html") {
            // Only the first `{{version}}`, in the head, is replaced, because the text can contain the same characters.
            files[path] = page.replacing("{{version}}", with: version, maxReplacements: 1)
        }
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
