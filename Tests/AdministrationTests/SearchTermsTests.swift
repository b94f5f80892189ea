import Testing

@testable import Administration

@Suite("Search terms")
struct SearchTermsTests {
    private static let cases: [(String, [SearchTerms.Term])] = [
        ("", []),
        ("kitchen", [.init(key: "", value: "kitchen", isNegated: false, isExact: false)]),
        (
            "product:lamp -online:yes",
            [
                .init(key: "product", value: "lamp", isNegated: false, isExact: false),
                .init(key: "online", value: "yes", isNegated: true, isExact: false),
            ]
        ), ("\"two words\"", [.init(key: "", value: "two words", isNegated: false, isExact: true)]),
        ("name:\"a b\"", [.init(key: "name", value: "a b", isNegated: false, isExact: true)]), ("name:", []),
        ("\"open", [.init(key: "", value: "open", isNegated: false, isExact: true)]),
        (":x", [.init(key: "", value: ":x", isNegated: false, isExact: false)]),
    ]

    @Test("Any input is split into terms", arguments: cases)
    func terms(_ text: String, _ terms: [SearchTerms.Term]) throws {
        #expect(try SearchTerms(text).terms == terms)
    }

    @Test("A search has a limited number of terms")
    func tooMany() {
        let text = String(repeating: "a ", count: SearchTerms.countMax + 1)
        #expect(throws: Refused.self) { try SearchTerms(text) }
    }

    @Test("Keys that the list doesn't support are refused")
    func keys() throws {
        #expect(throws: Refused.self) { try SearchTerms("colour:red").requireKeys(["product"]) }
        try SearchTerms("product:lamp word").requireKeys(["product"])
    }

    @Test("A term matches a part of a text in any case; an exact field matches the whole text only")
    func finds() throws {
        let part = try #require(try SearchTerms("LAMP").terms.first)
        #expect(part.finds("Hall lamp") && !part.finds("hall"))
        let exact = try #require(try SearchTerms("\"lamp\"").terms.first)
        #expect(exact.finds("lamp") && !exact.finds("Lamp") && !exact.finds("lamps"))
    }
}
