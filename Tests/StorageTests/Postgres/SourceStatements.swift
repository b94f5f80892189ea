import Domain
import Foundation

@testable import Storage

/// The SQL statements in Storage's source files, found by searching the text.
///
/// A string literal that begins with a word such as `SELECT` is a statement. A literal that begins with `WHERE` or
/// `ORDER BY` is the end of a statement. The code before the literal names the statement's table. Each
/// interpolation in a literal is replaced by its values. These come from the same file, from the described tables, or
/// from `others`.
struct SourceStatements {
    /// A source file's text without comments, and the positions of its string literals.
    private struct Source {
        var name: String
        var text: String
        var literals: [(start: String.Index, text: String)]

        /// Returns up to `count` characters of the text before a position.
        func before(_ place: String.Index, _ count: Int) -> Substring {
            let start = text.index(place, offsetBy: -count, limitedBy: text.startIndex)
            return text[(start ?? text.startIndex)..<place]
        }
    }

    /// All statements; a statement with interpolations occurs once for each combination of values.
    private(set) var statements: Set<String> = []
    /// The interpolations whose values could not be found.
    private(set) var unknown: Set<String> = []
    /// The names of all types that the source files declare as a `TableRow`.
    private(set) var described: Set<String> = []
    private let tables: [String: DescribedTable]

    /// The values of interpolations that the search can't resolve; each key names the file and the interpolation.
    private static let others: [String: [String]] = [
        "AccountTable.swift column": ["phone", "pendingPhone", "emailKey", "usernameKey"],
        "AccountTable.swift condition": [
            "uid = $1", "appId = $1 AND region = $2 AND phone = $3 AND phoneVerified = 1",
            "appId = $1 AND region = $2 AND emailKey = $3 AND emailClaim > 0",
            "appId = $1 AND region = $2 AND usernameKey = $3",
            "appId = $1 AND region = $2 AND externalUid = $3",
        ],
        "CodeTable.swift column": ["tries", "tokenTries"],
        "CommandTable.swift DispatchRequest.aheadMilliseconds": [
            "\(DispatchRequest.aheadMilliseconds)"
        ],
        "EventLogTable.swift number": ["CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT)"],
        "EventLogTable.swift isSettled": [
            "xid < CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS BIGINT)"
        ],
        "EventLogTable.swift comparison": [">", ">="],
        "EventLogTable.swift condition": [
            "TRUE ORDER BY xid DESC, seq DESC", "(xid, seq) < ($1, $2) ORDER BY xid DESC, seq DESC",
        ],
        "GateRecords.swift Instant.max.milliseconds": ["\(Instant.max.milliseconds)"],
        "DeviceTable+Search.swift Self.found(by: filter)": [
            "\\(Self.allFound)", "\\(Self.taggedFound)", "\\(Self.valuedFound)",
        ], "SharingTable.swift isGuest ? \"guestUid\" : \"inviterUid\"": ["guestUid", "inviterUid"],
        "RequestTable.swift sql.nextNumber(of: \"request\", \"seq\")": ["DEFAULT"],
    ]

    /// Reads a folder's source files; `tables` contains the described tables by the names of their row types.
    init(_ folder: URL, tables: [String: DescribedTable]) throws {
        self.tables = tables
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
        for path in (names ?? []).sorted() where path.hasSuffix(".swift") {
            let source = try Self.read(folder.appending(path: path))
            for match in source.text.matches(of: #/(?:extension|struct)[ ]([\w.]+):[ ]TableRow/#) {
                described.insert(String(match.1))
            }
            // These files are left out. They contain statements for a single engine, and the code that builds the
            // tables' statements.
            let isOthers = ["SQL", "Postgres/", "Moving/"].contains { path.hasPrefix($0) }
            if !isOthers { find(in: source) }
        }
    }

    /// Adds statements that the search can't find because the code builds them from values.
    mutating func add(_ others: [String]) {
        statements.formUnion(others.map { $0.split { $0.isWhitespace }.joined(separator: " ") })
    }

    private static func read(_ file: URL) throws -> Source {
        let text = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n",
            omittingEmptySubsequences: false
        ).filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
        let literal = /"""\n((?:.|\n)*?)"""|"((?:[^"\\\n]|\\\((?:[^()\n]|\([^()\n]*\))*\)|\\[^(])*)"/
        return Source(
            name: file.lastPathComponent,
            text: text,
            literals: text.matches(of: literal).map { ($0.range.lowerBound, String($0.1 ?? $0.2 ?? "")) }
        )
    }

    private mutating func find(in source: Source) {
        for (start, literal) in source.literals {
            let words = literal.split { $0.isWhitespace }.joined(separator: " ")
            if words.prefixMatch(of: #/(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|\\\(Self\.list\))[ ]/#) != nil {
                // These files build their statements from values, so `PrepareTests` adds the statements.
                if ["ExpiringRows.swift", "PersonalData.swift"].contains(source.name) { continue }
                add(words, at: start, of: source)
            } else if words.prefixMatch(of: #/(?:WHERE|ORDER BY)[ ]/#) != nil {
                guard let table = table(before: start, of: source) else {
                    unknown.insert("\(source.name): the table of \(words)")
                    continue
                }
                add("SELECT \(table.columns) FROM \(table.name) \(words)", at: start, of: source)
            }
        }
    }

    /// Returns the table named by the nearest call before a position, or the first table named in the file.
    private func table(before place: String.Index, of source: Source) -> DescribedTable? {
        let named = /of: ([\w.]+)\.table/
        let near = source.before(place, 120).matches(of: named).last?.1
        let name = near ?? source.text.firstMatch(of: named)?.1
        return name.flatMap { tables[String($0)] }
    }

    /// Adds a statement once for each combination of the values of its interpolations.
    private mutating func add(_ statement: String, at place: String.Index, of source: Source) {
        guard
            let match = statement.firstMatch(of: /\\\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/)
        else {
            statements.insert(statement)
            return
        }
        let values = meanings(of: String(match.1), at: place, source)
        if values.isEmpty { unknown.insert("\(source.name): \(match.1)") }
        for value in values {
            let words = value.split { $0.isWhitespace }.joined(separator: " ")
            add(statement.replacingCharacters(in: match.range, with: words), at: place, of: source)
        }
    }

    private func meanings(of expression: String, at place: String.Index, _ source: Source) -> [String] {
        if let known = Self.others["\(source.name) \(expression)"] { return known }
        if expression == "Int64.max" { return ["\(Int64.max)"] }
        if let match = expression.wholeMatch(of: /([\w.]+)\.table\.columns(?:\(of: "(\w+)"\))?/) {
            guard let table = tables[String(match.1)] else { return [] }
            guard let alias = match.2 else { return [table.columns] }
            return [table.columns.split(separator: ", ").map { "\(alias).\($0)" }.joined(separator: ", ")]
        }
        if let match = expression.wholeMatch(of: /Self\.condition\("(\$\d)"\)/) {
            return meanings(of: "Self.isNeverBound", at: place, source)
                .map { $0.replacing("$A", with: match.1) }
        }
        if let match = expression.wholeMatch(of: /Self\.(\w+)/) {
            return source.literals.filter { literal in
                let named = source.before(literal.start, 60).firstMatch(of: #/(?:let|var)[ ](\w+)[^=\n]*=\s*$/#)
                return named?.1 == match.1
            }.map(\.text)
        }
        if expression == "table" {
            // The interpolation is a loop's variable. Its values are in the array of the last loop before this place.
            let loop = source.before(place, 300).matches(of: /for table in \[([^\]]*)\]/).last
            return loop?.1.matches(of: /"(\w+)"/).map { String($0.1) } ?? []
        }
        if expression == "condition" {
            // The interpolated name is a parameter of functions in this file. The literals that callers pass are its
            // values.
            return source.literals.filter { literal in
                source.before(literal.start, 40).firstMatch(of: #/(?:query|find)\(\s*$/#) != nil
                    && literal.text.contains("$")
                    && literal.text.firstMatch(of: #/^\s*(?:SELECT|INSERT|UPDATE|DELETE|WHERE)/#) == nil
            }.map(\.text)
        }
        return []
    }
}

/// A described table, without the generic type of its rows.
struct DescribedTable {
    var name: String
    var columns: String
    /// The statements that write and find the table's rows, except incomplete statements.
    var statements: [String]

    init<Record>(_ table: Table<Record>) {
        name = table.name
        columns = table.columns
        let texts =
            [table.find, table.insert.text, table.upsert.text, table.update.text]
            + [table.updating(.apart).text, table.upserting([.changing, .apart]).text]
        // These statements are built from columns with certain roles, such as the key. If the table has no column with
        // a role that a statement needs, this statement is incomplete. Incomplete statements are left out.
        statements = texts.filter { !$0.contains("()") && !$0.contains("SET  ") && !$0.hasSuffix("WHERE ") }
    }
}
