import Domain
import Testing

@testable import Web

@Suite struct PageWordsTests {
    @Test(
        "Each text of the pages exists in both languages",
        arguments: [Language.english, .chinese]
    )
    func complete(language: Language) {
        let words = PageWords.of(language)
        let ofLinks: Set<PageWords.Name> = [.title, .ask, .button, .doneTitle, .done]

        for name in PageWords.Name.allCases where !ofLinks.contains(name) { #expect(!words[name].isEmpty) }
        for kind in Link.Kind.allCases { for name in ofLinks { #expect(!words.texts(kind)[name].isEmpty) } }
    }

    @Test("The authorization page has each text, and a sentence for each scope, in both languages")
    func authorization() {
        let (english, chinese) = (PageWords.of(.english).oauth, PageWords.of(.chinese).oauth)
        #expect(Set(english.keys) == Set(chinese.keys))
        let services = KeyScope.Service.allCases.filter { $0 != .events }.map(\.rawValue)
        for scope in services.flatMap({ [$0, "\($0):read"] }) { #expect(english[scope]?.isEmpty == false) }
        let made: Set = ["app", "wants", "fault", "action", "nonce", "account", "country", "proof", "token"]
        for file in ["oauth.html", "oauth-password.html", "oauth-code.html"] {
            for name in WebTexts.text(file).matches(of: /\{(\w+)\}/).map({ String($0.1) }) where !made.contains(name) {
                #expect(english[name]?.isEmpty == false, "\(name) in \(file)")
            }
        }
    }
}
