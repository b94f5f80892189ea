/// A page of the reference, in Markdown.
package struct ReferencePage: Sendable {
    /// The part of the reference that a page belongs to, in the order of the navigation.
    package enum Group: String, Sendable, CaseIterable {
        case start = "Start"
        case guides = "Guides"
        case rules = "How it works"
        case contract = "Every message"
        case lists = "Every code and number"
    }

    /// The name of its files without a suffix.
    package let name: String
    /// Its title.
    package let title: String
    let group: Group
    /// The text; its first line is the title as a heading.
    package let markdown: String

    /// Whether a running service turns the page into the playground.
    var isPlayground: Bool { name == "try" }
}

/// All pages of the reference.
package struct ReferenceBook: Sendable {
    /// The pages in the order of the navigation.
    package let pages: [ReferencePage]
    let version: String
    let contract = Contract.builtIn

    /// The handwritten pages, `Texts/NAME.md`, in their order.
    private static let start = ["index", "try", "connecting", "examples"]
    private static let rules = [
        "registration", "reports", "presence", "commands", "products", "requests", "accounts",
        "sessions",
        "sharing", "schedules", "delivery", "clocks", "fairness", "operation",
    ]

    /// Creates all pages from the contract and the facts about the program.
    package init(_ facts: ReferenceFacts) {
        version = facts.version
        let messages = MessagePages(contract: contract)
        let lists = ListPages(facts: facts)
        pages =
            Self.start.compactMap { Self.written($0, .start) }
            + Guides.names.compactMap { Self.written($0, .guides) }
            + Self.rules.compactMap { Self.written($0, .rules) }
            + [messages.topics] + messages.folders
            + MethodPages(contract: contract).pages + [
                messages.documents, messages.types,
            ]
            + lists.pages
    }

    private static func written(_ name: String, _ group: ReferencePage.Group) -> ReferencePage? {
        let text = Texts.text(name + ".md")
        if text.isEmpty { return nil }
        let title = text.prefix { $0 != "\n" }.drop { "# ".contains($0) }
        return ReferencePage(
            name: name,
            title: String(title),
            group: group,
            markdown: group == .guides ? Guides.pointed(text) : Inclusion.filled(text)
        )
    }
}

/// Inserts the example files into the page that shows them: a line `{{ask.py}}` becomes the file's
/// text.
enum Inclusion {
    /// The example files, which are also served beside the pages.
    static let files = ["ask.sh", "ask.py", "ask.mjs", "ask.h", "Ask.swift"]

    static func filled(_ text: String) -> String {
        files.reduce(text) { text, file in
            text.replacing("{{\(file)}}", with: String(Texts.text(file).trimmed))
        }
    }
}
