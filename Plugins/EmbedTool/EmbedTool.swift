import Foundation

/// Writes a Swift file with texts as string literals.
///
///     EmbedTool [--page SCRIPT [--apart MODULE]…] OUTPUT NAME=FILE…
///
/// With `--page` it minifies a page's files: one script, style sheets and data. `--apart` names
/// modules that stay files of their own.
@main
enum EmbedTool {
    static func main() throws {
        var words = Array(CommandLine.arguments.dropFirst())
        var (page, apart): (String?, Set<String>) = (nil, [])
        while let option = words.first, option.hasPrefix("--"), words.count > 1 {
            if option == "--page" { page = words[1] } else { apart.insert(words[1]) }
            words.removeFirst(2)
        }
        guard let output = words.first else {
            // A build that calls the tool wrongly ends here.
            fatalError("EmbedTool takes the file to write, then those to embed")
        }
        var files: [(name: String, text: String)] = []
        for word in words.dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1)
            let content = try String(contentsOf: URL(filePath: String(parts[1])), encoding: .utf8)
            files.append((String(parts[0]), content))
        }
        if let page { files = short(files, page, apart) }
        var text = "/// Texts of this target by the paths of their files.\nenum EmbeddedTexts {\n"
        text += "    static let all: [(name: String, text: StaticString)] = [\n"
        for (name, content) in files { text += "(\"\(name)\", \(literal(content))),\n" }
        text += "    ]\n}\n"
        try text.write(toFile: output, atomically: true, encoding: .utf8)
    }

    /// Returns a page's files in the form in which they are served.
    private static func short(
        _ files: [(name: String, text: String)],
        _ page: String,
        _ apart: Set<String>
    ) -> [(name: String, text: String)] {
        let scripts = files.filter { $0.name.hasSuffix(".js") }
        let bundle = Bundle(
            Dictionary(scripts.map { ($0.name, $0.text) }) { first, _ in first },
            first: page,
            apart: apart
        )
        let made = bundle.files(first: page).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let others = files.filter { !$0.name.hasSuffix(".js") }.map { name, text in
            if name.hasSuffix(".css") { return (name, StyleSheet.short(text)) }
            if name.hasSuffix(".json") { return (name, JSONText.short(text, of: name)) }
            guard name.hasSuffix(".html") else { return (name, text) }
            // Bundled modules mustn't be fetched as well.
            let lines = text.split(separator: "\n").filter { line in
                !line.contains("modulepreload") || apart.contains { line.contains("\"\($0)\"") }
            }
            return (name, lines.joined(separator: "\n") + "\n")
        }
        return others + made
    }

    /// Returns a raw literal with more signs than any run of them in the text, so that the text
    /// can't end it.
    private static func literal(_ text: String) -> String {
        var (run, longest) = (0, 0)
        for character in text {
            run = character == "#" ? run + 1 : 0
            longest = max(longest, run)
        }
        let signs = String(repeating: "#", count: longest + 1)
        return "\(signs)\"\"\"\n\(text)\n\"\"\"\(signs)"
    }
}
