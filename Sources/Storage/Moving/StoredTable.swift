/// The columns, types and key of a table that the steps of `Migrations` create.
///
/// Both engines have the same columns in the same order. Only the names of types differ.
struct StoredTable: Sendable, Equatable {
    /// One column of a table.
    struct Column: Sendable, Equatable {
        let name: String
        let type: ColumnType
    }

    let name: String
    private(set) var columns: [Column]
    /// The indexes of the key's columns.
    private(set) var key: [Int]
    /// The column that gets a number from the engine by default, or nil if there isn't one.
    private(set) var numbered: String?

    /// Returns all tables of the migrations, each after the tables that it refers to.
    static func all() -> [StoredTable] {
        var tables: [StoredTable] = []
        for statement in Migrations.steps.flatMap({ $0.sql.split(separator: ";") }) {
            let text = statement.drop(while: \.isWhitespace)
            if text.hasPrefix("CREATE TABLE "), let table = StoredTable(text) {
                tables.append(table)
            } else if text.hasPrefix("ALTER TABLE "), let place = text.firstRange(of: " ADD COLUMN ") {
                let name = text[..<place.lowerBound].dropFirst("ALTER TABLE ".count)
                guard let index = tables.firstIndex(where: { $0.name == name }) else { continue }
                tables[index].add(text[place.upperBound...])
            }
        }
        return tables
    }

    /// Parses `CREATE TABLE name (…)` with one column or constraint on each line, or returns nil.
    private init?(_ statement: Substring) {
        let lines = statement.split(separator: "\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count > 2 else { return nil }
        name = String(words[2])
        columns = []
        key = []
        for line in lines.dropFirst() {
            let line = line.drop(while: \.isWhitespace)
            if line.hasPrefix("PRIMARY KEY (") {
                let names = line.dropFirst("PRIMARY KEY (".count).prefix { $0 != ")" }
                key = names.split(separator: ",").compactMap { name in
                    columns.firstIndex { $0.name == name.filter { !$0.isWhitespace } }
                }
            } else {
                add(line)
            }
        }
    }

    /// If a line describes a column, adds the column.
    private mutating func add(_ line: Substring) {
        let words = line.split { $0 == " " || $0 == "," }
        guard words.count >= 2, let type = Self.types[String(words[1])] else { return }
        let name = String(words[0])
        columns.append(Column(name: name, type: type))
        guard line.contains(" PRIMARY KEY") else { return }
        key = [columns.count - 1]
        // Key columns with these names are identity columns in PostgreSQL's tables.
        if type == .integer, ["seq", "id"].contains(name) { numbered = name }
    }

    private static let types: [String: ColumnType] = [
        "INTEGER": .integer, "REAL": .number, "TEXT": .text, "BLOB": .bytes,
    ]

    // MARK: Statements

    private var names: String { columns.map(\.name).joined(separator: ", ") }
    private var keyNames: [String] { key.map { columns[$0].name } }

    /// Returns the query for a page in key order, with the limit as last parameter.
    ///
    /// If `isBehind` is true, the page begins after the key that the query's first parameters contain.
    func page(isBehind: Bool) -> String {
        let numbers = (1...key.count).map { "$\($0)" }.joined(separator: ", ")
        let keys = keyNames.joined(separator: ", ")
        let condition = isBehind ? " WHERE (\(keys)) > (\(numbers))" : ""
        let limit = isBehind ? key.count + 1 : 1
        return "SELECT \(names) FROM \(name)\(condition) ORDER BY \(keys) LIMIT $\(limit)"
    }

    /// The query for the row with the largest key.
    var last: String {
        let keys = keyNames.map { "\($0) DESC" }.joined(separator: ", ")
        return "SELECT \(names) FROM \(name) ORDER BY \(keys) LIMIT 1"
    }

    /// The statement that inserts a row.
    var insert: String {
        let numbers = columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        return "INSERT INTO \(name) (\(names)) VALUES (\(numbers))"
    }

    /// Returns the key of a row.
    func key(of row: [StoredValue]) -> [StoredValue] { key.map { row[$0] } }

    /// Returns the text by which an error message identifies a row, such as `device did=d-1`.
    func shown(_ row: [StoredValue]) -> String {
        let keys = key.map { "\(columns[$0].name)=\(row[$0].shown)" }.joined(separator: " ")
        return "\(name) \(keys)"
    }
}
