import Foundation

/// Writes a Swift file that holds texts as string literals: `EmbedTool OUTPUT NAME=FILE…`.
@main
enum EmbedTool {
    static func main() throws {
        guard let output = CommandLine.arguments.dropFirst().first else {
            // Only a mistake in EmbedTexts leads here; it ends the build.
            fatalError("usage: EmbedTool OUTPUT NAME=FILE…")
        }
        var text = "/// Texts of this target by the paths of their files.\nenum EmbeddedTexts {\n"
        text += "    static let all: [(name: String, text: StaticString)] = [\n"
        for argument in CommandLine.arguments.dropFirst(2) {
            let parts = argument.split(separator: "=", maxSplits: 1)
            let content = try String(contentsOf: URL(filePath: String(parts[1])), encoding: .utf8)
            text += "(\"\(parts[0])\", \(literal(content))),\n"
        }
        text += "    ]\n}\n"
        try text.write(toFile: output, atomically: true, encoding: .utf8)
    }

    /// Returns a raw string literal, delimited by more number signs than the text has in a row.
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
