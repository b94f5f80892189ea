import Foundation

/// Writes a Swift file with texts as string literals: `EmbedTool OUTPUT NAME=FILE…`.
@main
enum EmbedTool {
    static func main() throws {
        let words = CommandLine.arguments.dropFirst()
        guard let output = words.first else {
            // A build that calls it wrongly ends here.
            fatalError("EmbedTool takes the file to write, then those to embed")
        }
        var text = "/// Texts of this target by the paths of their files.\nenum EmbeddedTexts {\n"
        text += "    static let all: [(name: String, text: StaticString)] = [\n"
        for word in words.dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1)
            let content = try String(contentsOf: URL(filePath: String(parts[1])), encoding: .utf8)
            text += "(\"\(parts[0])\", \(literal(content))),\n"
        }
        text += "    ]\n}\n"
        try text.write(toFile: output, atomically: true, encoding: .utf8)
    }

    /// Returns a raw literal with more signs than any run of them in the text, so that nothing in it ends it.
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
