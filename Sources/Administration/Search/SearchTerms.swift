/// A search that consists of terms such as `product:lamp`, `-online:yes`, `"exact words"` and `part`.
struct SearchTerms: Sendable, Equatable {
    /// A term of a search.
    struct Term: Sendable, Equatable {
        /// The field to search in, or an empty text for a plain word.
        var key: String
        /// The text to search for, as it was typed.
        var value: String
        /// Whether the search excludes everything that matches the term.
        var isNegated: Bool
        /// Whether the whole text must match.
        var isExact: Bool
    }

    /// The terms, in the order in which they were typed.
    let terms: [Term]

    /// The maximum number of terms in a search.
    static let countMax = 20

    /// Parses a search, and refuses only a search with too many terms.
    ///
    /// - Throws: `Refused` if there are too many terms.
    init(_ text: String) throws {
        var terms: [Term] = []
        var rest = Substring(text)
        while true {
            rest = rest.drop { $0.isWhitespace }
            guard !rest.isEmpty else { break }
            if let term = Self.take(&rest) { terms.append(term) }
        }
        guard terms.count <= Self.countMax else {
            throw Refused.invalid("query", "A search has at most \(Self.countMax) terms.")
        }
        self.terms = terms
    }

    private static func take(_ rest: inout Substring) -> Term? {
        let isNegated = rest.first == "-"
        if isNegated { rest = rest.dropFirst() }
        var key = ""
        let head = rest.prefix { !$0.isWhitespace && $0 != ":" && $0 != "\"" }
        if rest.dropFirst(head.count).first == ":", !head.isEmpty {
            key = head.lowercased()
            rest = rest.dropFirst(head.count + 1)
        }
        let isExact = rest.first == "\""
        let value: Substring
        if isExact {
            value = rest.dropFirst().prefix { $0 != "\"" }
            rest = rest.dropFirst(value.count + 2)
        } else {
            value = rest.prefix { !$0.isWhitespace }
            rest = rest.dropFirst(value.count)
        }
        guard !value.isEmpty else { return nil }
        return Term(key: key, value: String(value), isNegated: isNegated, isExact: isExact)
    }

    /// Returns whether the texts fulfil all terms, without regard to the terms' keys.
    func find(anyOf texts: [String?]) -> Bool { terms.allSatisfy { $0.finds(anyOf: texts) != $0.isNegated } }

    /// Returns whether all terms of the search are fulfilled.
    ///
    /// A term with a key must match one of the texts of that key. Any other term must match one of `words`. If a term
    /// is negated, none of these texts may match it.
    func match(_ texts: [String: [String?]], words: [String?]) -> Bool {
        terms.allSatisfy { $0.finds(anyOf: texts[$0.key] ?? words) != $0.isNegated }
    }

    /// Throws `Refused` if a term has a key that `known` doesn't contain.
    func requireKeys(_ known: [String]) throws {
        for term in terms where !term.key.isEmpty && !known.contains(term.key) {
            let keys = known.map { $0 + ":" }.joined(separator: ", ")
            throw Refused.invalid("query", "\(term.key): is not a search key; use \(keys)")
        }
    }
}

extension SearchTerms.Term {
    /// Returns whether the term matches a text.
    func finds(_ text: String) -> Bool { isExact ? text == value : text.lowercased().contains(value.lowercased()) }

    /// Returns whether the term matches one of the given texts.
    func finds(anyOf texts: [String?]) -> Bool { texts.contains { $0.map(finds) ?? false } }

    /// Returns the value of a term that must be yes or no.
    func flag() throws -> Bool {
        switch value.lowercased() {
        case "yes", "true", "1": return true
        case "no", "false", "0": return false
        default: throw Refused.invalid("query", "\(key): takes yes or no.")
        }
    }
}
