import Domain
import Testing

@testable import Web

@Suite struct PageWordsTests {
    @Test(
        "Every text of the pages is there in both languages",
        arguments: [Language.english, .chinese]
    )
    func complete(language: Language) {
        let words = PageWords.of(language)
        let ofLinks: Set<PageWords.Name> = [.title, .ask, .button, .doneTitle, .done]

        for name in PageWords.Name.allCases where !ofLinks.contains(name) { #expect(!words[name].isEmpty) }
        for kind in Link.Kind.allCases { for name in ofLinks { #expect(!words.texts(kind)[name].isEmpty) } }
    }
}
