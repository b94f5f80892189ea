/// The guides of `docs/guides` as pages: `guides` lists them, and `guide-NAME` holds each.
enum Guides {
    /// The names of the pages, in the order of the list.
    static let names =
        ["guides"]
        + [
            "first-device", "by-hand", "first-app", "logging-in", "sharing", "history",
            "real-server", "console", "watching", "proxy", "growing", "processes", "moving",
        ].map { "guide-\($0)" }

    /// Returns a guide with links to the pages beside it; a link to another place in the sources
    /// becomes plain text.
    static func pointed(_ text: String) -> String {
        let inside = names.dropFirst().reduce(text.replacing("](README.md", with: "](guides.md")) {
            $0.replacing("](\($1.dropFirst("guide-".count)).md", with: "](\($1).md")
        }
        var pieces = inside.split(separator: "](../", omittingEmptySubsequences: false)
        var out = String(pieces.removeFirst())
        for piece in pieces {
            if let bracket = out.lastIndex(of: "[") { out.remove(at: bracket) }
            out += piece.drop { $0 != ")" }.dropFirst()
        }
        return out
    }
}
