import JSON

/// Makes a JSON text short.
enum JSONText {
    /// Returns the short text, its members in the order in which they stand; ends the build where the text is not JSON.
    static func short(_ text: String, of name: String) -> String {
        do {
            return String(decoding: try JSONValue.parse(text.utf8).encoded(), as: UTF8.self)
        } catch {
            fatalError("\(name) is not JSON: \(error)")
        }
    }
}
