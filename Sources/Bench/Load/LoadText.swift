/// Finds a member in JSON by its name, without reading the rest: what loads need of their own messages.
enum LoadText {
    /// Returns the whole number behind `name`, which has its quotes and colon; nil if there is none.
    static func number(_ name: String, in body: String) -> Int? {
        guard let range = body.utf8.firstRange(of: name.utf8) else { return nil }
        let digits = body.utf8[range.upperBound...].prefix { (48...57).contains($0) }
        return digits.isEmpty ? nil : digits.reduce(0) { $0 * 10 + Int($1) - 48 }
    }

    /// Returns the text behind `name`, which has its quotes and colon; nil if there is none.
    static func text(_ name: String, in body: String) -> Substring? {
        guard let range = body.utf8.firstRange(of: name.utf8),
            body[range.upperBound...].first == "\""
        else { return nil }
        return body[range.upperBound...].dropFirst().prefix { $0 != "\"" }
    }
}
