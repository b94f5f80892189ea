/// A search: terms such as `product:lamp`, `-online:yes`, `"exact words"` and `part`.
struct SearchTerms: Sendable, Equatable {
    /// One term.
    struct Term: Sendable, Equatable {
        /// What is searched; empty for a word alone.
        var key: String
        /// The text, as it was typed.
        var value: String
        /// Whether it excludes what it finds.
        var isNegated: Bool
        /// Whether the whole text must be the same.
        var isExact: Bool
    }

    /// The terms, in their order.
    let terms: [Term]

    /// How many terms one search has.
    static let countMax = 20

    /// Reads a search; every text is one.
    ///
    /// - Throws: `Refused` where there are too many terms.
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

    /// Tells whether each term fits some texts, whatever its key.
    func find(anyOf texts: [String?]) -> Bool {
        terms.allSatisfy { $0.finds(anyOf: texts) != $0.isNegated }
    }

    /// Refuses keys that a list does not know.
    func requireKeys(_ known: [String]) throws {
        for term in terms where !term.key.isEmpty && !known.contains(term.key) {
            throw Refused.invalid(
                "query",
                "\(term.key): is no key here; there are \(known.map { $0 + ":" }.joined(separator: ", "))"
            )
        }
    }
}

extension SearchTerms.Term {
    /// Tells whether a text is what the term searches.
    func finds(_ text: String) -> Bool {
        isExact ? text == value : text.lowercased().contains(value.lowercased())
    }

    /// Tells whether any of some texts is.
    func finds(anyOf texts: [String?]) -> Bool {
        texts.contains { $0.map(finds) ?? false }
    }

    /// The term's yes or no.
    func flag() throws -> Bool {
        switch value.lowercased() {
        case "yes", "true", "1": return true
        case "no", "false", "0": return false
        default: throw Refused.invalid("query", "\(key): takes yes or no.")
        }
    }
}
