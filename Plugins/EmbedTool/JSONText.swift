import JSON

/// Minifies a JSON text.
enum JSONText {
    /// Returns the minified text with its members in their order; ends the build if the text isn't
    /// JSON.
    static func short(_ text: String, of name: String) -> String {
        do {
            return String(decoding: try JSONValue.parse(text.utf8).encoded(), as: UTF8.self)
        } catch {
            fatalError("\(name) is not JSON: \(error)")
        }
    }
}
