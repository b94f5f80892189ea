import Domain
import JSON

/// The texts of the pages in one language, from `Texts/pages-en.json` and `Texts/pages-zh.json`.
struct PageWords: Sendable {
    private let texts: JSONObject

    /// Returns the words of a language.
    static func of(_ language: Language) -> PageWords { language == .chinese ? chinese : english }

    private static let english = PageWords(file: "pages-en.json")
    private static let chinese = PageWords(file: "pages-zh.json")

    private init(file: String) { texts = (try? JSONValue.parse(Array(WebTexts.text(file).utf8)))?.objectValue ?? [:] }

    private init(_ texts: JSONObject?) { self.texts = texts ?? [:] }

    /// Returns a text, or an empty string if the text is missing.
    subscript(name: Name) -> String { texts[name.rawValue]?.stringValue ?? "" }

    /// Returns the texts for a kind of link: `title`, `ask`, `button`, `doneTitle` and `done`.
    func texts(_ kind: Link.Kind) -> PageWords { PageWords(texts[kind.rawValue]?.objectValue) }

    /// The texts of the authorization page.
    var oauth: [String: String] {
        let members = texts["oauth"]?.objectValue?.members ?? []
        return Dictionary(members.map { ($0.key, $0.value.stringValue ?? "") }) { first, _ in first }
    }

    /// Returns the message about a refused password.
    func fault(_ fault: LinkView.BadPassword) -> String {
        switch fault {
        case .differs: self[.differs]
        case .length: self[.length]
        case .weak: self[.weak]
        }
    }

    /// The name of a text.
    enum Name: String, CaseIterable {
        /// The tag of the page's language, for HTML.
        case tag
        /// The text that replaces the name of an unknown app.
        case service
        case overTitle, over, busyTitle, busy
        /// The prefix that the page's title gets if the page shows an error.
        case error
        case password, again, rule, differs, length, weak
        /// The texts for each kind of link. In `ask`, `{address}` is replaced by the masked address.
        case title, ask, button, doneTitle, done
    }
}

/// The texts that are embedded in this target.
enum WebTexts {
    /// Returns the text of a file in the folder `Texts`.
    static func text(_ file: String) -> String {
        EmbeddedTexts.all.first { $0.name == file }.map { "\($0.text)" } ?? ""
    }
}
