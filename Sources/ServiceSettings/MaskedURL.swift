/// The masking of credentials in URLs that are shown.
enum MaskedURL {
    /// Returns a URL with `***` for the user, the password and the query's values.
    ///
    /// If `isURL` is false, a string without `://` stays unchanged.
    static func text(_ text: String, isURL: Bool) -> String {
        let scheme = text.firstRange(of: "://")
        guard let start = scheme?.upperBound ?? (isURL ? text.startIndex : nil) else { return text }
        let rest = text[start...]
        let end = rest.firstIndex { "?#".contains($0) } ?? rest.endIndex
        return "\(text[..<start])\(withoutUser(rest[..<end]))\(withoutValues(rest[end...]))"
    }

    private static func withoutUser(_ text: Substring) -> String {
        let slash = text.firstIndex(of: "/") ?? text.endIndex
        guard let sign = text[..<slash].lastIndex(of: "@") else { return String(text) }
        return "***\(text[sign...])"
    }

    private static func withoutValues(_ text: Substring) -> String {
        guard text.hasPrefix("?") else { return String(text) }
        let end = text.firstIndex(of: "#") ?? text.endIndex
        let items = text[..<end].dropFirst().split(
            separator: "&",
            omittingEmptySubsequences: false
        )
        let masked = items.map { item -> String in
            guard !item.isEmpty else { return "" }
            guard let sign = item.firstIndex(of: "=") else { return "***" }
            return "\(item[...sign])***"
        }
        return "?\(masked.joined(separator: "&"))\(text[end...])"
    }
}
