/// A BCP 47 language tag, such as `de` or `pt-BR`, compared without regard to case.
package struct LanguageTag: Hashable, Sendable {
    /// The tag in lower case.
    package let key: String

    /// Parses a well-formed tag; returns nil for anything else.
    ///
    /// Unregistered tags are accepted too. They do no harm, because an app's texts for a tag are shown only to users
    /// whose language has this tag.
    package init?(_ text: String) {
        let parts = text.lowercased().split(separator: "-", omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.bytesMax, let first = parts.first,
            parts.allSatisfy({
                (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(\.isLetterOrDigit)
            }),
            (2...8).contains(first.utf8.count), first.utf8.allSatisfy(\.isLetter),
            Self.accepts(parts.dropFirst())
        else { return nil }
        key = text.lowercased()
    }

    /// Makes the tag of a language that the service supports.
    init(_ language: Language) { key = language.rawValue }

    /// Returns the tag that `text` contains, such as `pt-BR` for `pt_BR`, followed by the language alone, such as `pt`.
    package static func choices(of text: String) -> [LanguageTag] {
        let own = text.replacing("_", with: "-")
        let primary = own.prefix { $0 != "-" }
        return [LanguageTag(own), LanguageTag(String(primary))].compactMap(\.self)
    }

    /// The length of the longest tag that a user's profile accepts, in bytes.
    private static let bytesMax = 35

    /// Returns whether the parts of a tag after its language have an allowed form and order.
    ///
    /// The order is: extended languages, a script, a region, variants and extensions. All these parts are optional.
    private static func accepts(_ parts: ArraySlice<Substring>) -> Bool {
        var rest = parts
        for _ in 0..<3 {
            guard let part = rest.first, part.utf8.count == 3, part.utf8.allSatisfy(\.isLetter) else { break }
            rest = rest.dropFirst()
        }
        if let script = rest.first, script.utf8.count == 4, script.utf8.allSatisfy(\.isLetter) {
            rest = rest.dropFirst()
        }
        if let region = rest.first, isRegion(region) { rest = rest.dropFirst() }
        while let variant = rest.first, isVariant(variant) { rest = rest.dropFirst() }
        // An extension is one character followed by other parts.
        guard let singleton = rest.first else { return true }
        guard singleton.utf8.count == 1, rest.last?.utf8.count != 1 || rest.contains("x") else { return false }
        return rest.count > 1
    }

    private static func isRegion(_ part: Substring) -> Bool {
        part.utf8.count == 2
            ? part.utf8.allSatisfy(\.isLetter) : part.utf8.count == 3 && part.utf8.allSatisfy(\.isDigit)
    }

    private static func isVariant(_ part: Substring) -> Bool {
        part.utf8.count >= 5 || (part.utf8.count == 4 && part.utf8.first?.isDigit == true)
    }
}
