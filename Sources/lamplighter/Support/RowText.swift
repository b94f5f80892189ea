import Administration
import Domain
import JSON

/// A column of a table whose rows are JSON objects.
struct Column: Sendable {
    let title: String
    let cell: @Sendable (JSONObject) -> String

    /// Creates a column; `cell` returns the column's text for a row.
    init(_ title: String, _ cell: @escaping @Sendable (JSONObject) -> String) {
        (self.title, self.cell) = (title, cell)
    }

    /// Creates a column that shows one member of each row.
    init(_ title: String, _ key: String) { self.init(title) { $0.text(key) } }

    /// Returns a column that shows one member of each row as a time.
    static func moment(_ title: String, _ key: String) -> Column { Column(title) { $0.moment(key) } }

    /// Returns a column that shows one member of each row as an actor.
    static func actor(_ title: String, _ key: String) -> Column {
        Column(title) { row in
            let actor = row.object(key)
            return "\(actor.text("kind")) \(actor.text("id"))"
        }
    }
}

extension TextTable {
    /// Creates a table of rows.
    init(_ rows: [JSONObject], _ columns: [Column]) {
        self.init(columns.map(\.title))
        for row in rows { add(columns.map { $0.cell(row) }) }
    }
}

extension Terminal {
    /// Prints a table of rows.
    static func show(_ rows: [JSONObject], _ columns: [Column]) { print(TextTable(rows, columns).text) }

    /// Prints a JSON object whose values have the same form as in the console's interface.
    static func show(json members: KeyValuePairs<String, (any Showable)?>) {
        show(.object(JSONObject(showing: members)))
    }

    /// Prints a line in which line breaks and control characters are escaped.
    static func show(plain text: String) { print(PlainText.of(text)) }

    /// Prints the properties of one thing, each on a line with its name and value.
    static func show(details: [(name: String, value: String)]) {
        let width = details.map(\.name.count).max() ?? 0
        for (name, value) in details {
            let space = String(repeating: " ", count: width - name.count + 2)
            show(line: name + space + PlainText.of(value))
        }
    }
}

extension JSONObject {
    /// The rows of a page.
    var items: [JSONObject] { objects("items") }

    /// Returns a member that is a list of objects.
    func objects(_ key: String) -> [JSONObject] { self[key]?.arrayValue?.compactMap(\.objectValue) ?? [] }

    /// Returns a member that is an object, or an empty object if absent.
    func object(_ key: String) -> JSONObject { self[key]?.objectValue ?? [:] }

    /// Returns a member that is an integer, or 0 if it is absent.
    func integer(_ key: String) -> Int64 { self[key]?.intValue ?? 0 }

    /// Returns a member as text; a dash if it is absent.
    func text(_ key: String) -> String { self[key].map(Self.text) ?? "-" }

    private static func text(_ value: JSONValue) -> String {
        if let texts = value.arrayValue?.map(text) { return texts.isEmpty ? "-" : texts.joined(separator: ", ") }
        return switch value {
        case .bool(let isTrue): isTrue ? "yes" : "no"
        case .string(let text): text.isEmpty ? "-" : text
        default: Terminal.json(value)
        }
    }

    /// Returns the text of a time member, or a dash if it is absent.
    func moment(_ key: String) -> String { TimeText.of(self[key]?.intValue.map { Instant(milliseconds: $0) }) }

    /// Returns the member with the key `id`, followed by the member with the key `name` if present.
    func named(_ id: String, _ name: String) -> String {
        text(id) + (self[name]?.stringValue.map { " " + PlainText.of($0) } ?? "")
    }
}
