import Foundation

/// Generates a Swift file, and writes it only if its content has changed.
///
/// - `EmbedTool OUTPUT texts NAME=FILE…` generates string literals from text files.
/// - `EmbedTool OUTPUT lists TARGET FILE` generates enums, and the texts of the pages that explain their cases, from
///   `schemas/generated/lists.json`.
/// - `EmbedTool OUTPUT commands TARGET FILE` generates command line types from `schemas/generated/commands.json`.
@main
enum EmbedTool {
    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        let source: String
        switch words.dropFirst().first {
        case "texts": source = try texts(words.dropFirst(2))
        case "lists" where words.count == 4: source = try CodeList.source(of: words[2], by: words[3])
        case "commands" where words.count == 4: source = try CommandLineTypes.source(of: words[2], by: words[3])
        // Only a mistake in the plugin EmbedTexts causes this error, which ends the build.
        default: fatalError("usage: EmbedTool OUTPUT texts NAME=FILE… | lists TARGET FILE | commands TARGET FILE")
        }
        // If an unchanged file were written again, the build would compile it again.
        guard (try? String(contentsOfFile: words[0], encoding: .utf8)) != source else { return }
        try source.write(toFile: words[0], atomically: true, encoding: .utf8)
    }

    private static func texts(_ files: some Sequence<String>) throws -> String {
        var text = "/// Texts of this target by the paths of their files.\nenum EmbeddedTexts {\n"
        text += "    static let all: [(name: String, text: StaticString)] = [\n"
        for file in files {
            let parts = file.split(separator: "=", maxSplits: 1)
            let content = try String(contentsOf: URL(filePath: String(parts[1])), encoding: .utf8)
            text += "(\"\(parts[0])\", \(literal(content))),\n"
        }
        return text + "    ]\n}\n"
    }

    /// Returns a text as a raw string literal, with enough number signs in its delimiters.
    static func literal(_ text: String) -> String {
        var (run, longest) = (0, 0)
        for character in text {
            run = character == "#" ? run + 1 : 0
            longest = max(longest, run)
        }
        let signs = String(repeating: "#", count: longest + 1)
        return "\(signs)\"\"\"\n\(text)\n\"\"\"\(signs)"
    }
}
