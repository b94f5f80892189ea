import JSON

/// The index of the search: a row for each section, as a script that a page opened from a disk can
/// load too.
struct SearchIndex {
    /// The title, address and words of each section.
    private var rows: [JSONValue] = []

    init(_ book: ReferenceBook) {
        for page in book.pages { add(page) }
        let messages = MessagePages(contract: book.contract)
        for channel in book.contract.channels {
            let address = messages.address(of: channel)
            finish(channel.topic, page: "Topics", address: address, words: [channel.summary])
        }
    }

    /// The script, which sets one global variable.
    var script: String {
        "var referenceIndex = [\n"
            + rows.map { String(decoding: $0.encoded(), as: UTF8.self) }.joined(separator: ",\n")
            + "\n];\nif (typeof module !== \"undefined\") module.exports = referenceIndex;\n"
    }

    private mutating func add(_ page: ReferencePage) {
        var title = page.title
        var address = page.name + ".html"
        var words: [String] = []
        for block in BlockReader.read(page.markdown) {
            switch block {
            case .heading(let level, let text, let anchor):
                // The sections within a method (its params, its errors) belong to the method.
                guard level == 2 else { continue }
                finish(title, page: page.title, address: address, words: words)
                (title, address, words) = (Inline.words(text), "\(page.name).html#\(anchor)", [])
            case .paragraph(let text), .quote(let text): words.append(Inline.words(text))
            case .list(let items, _): words += items.map(Inline.words)
            case .table(_, let cells): words += cells.flatMap { $0.map(Inline.words) }
            case .fence(let info, let lines):
                if Diagram(info: info, lines: lines) != nil { words += lines }
            }
        }
        finish(title, page: page.title, address: address, words: words)
    }

    private mutating func finish(
        _ title: String,
        page: String,
        address: String,
        words: [String]
    ) {
        let text = words.joined(separator: " ")
        guard !text.isEmpty else { return }
        rows.append(.array([.string(title), .string(page), .string(address), .string(text)]))
    }
}
