import Foundation
import StoreTestKit
import Testing

@testable import Storage

@Suite("The SQL interface")
struct SQLTests {
    @Test("In each statement the parameters first appear in ascending order")
    func parameters() throws {
        let folder = packageRoot.appending(path: "Sources/Storage")
        let files = try #require(FileManager.default.enumerator(atPath: folder.path))
        var statements = 0
        for case let name as String in files where name.hasSuffix(".swift") {
            let text = Self.expanded(try String(contentsOf: folder.appending(path: name), encoding: .utf8))
            for literal in Self.literals(text) where literal.contains("$1") {
                statements += 1
                var seen: [Int] = []
                for match in literal.matches(of: /\$(\d+)/) {
                    guard let number = Int(match.1), !seen.contains(number) else { continue }
                    seen.append(number)
                }
                #expect(seen == Array(1...seen.count), "\(name): \(literal)")
            }
        }
        #expect(statements > 50)
    }

    /// Returns a source text in which each `\(Self.name)` is replaced by its multi-line literal.
    private static func expanded(_ source: String) -> String {
        source.matches(of: /let (\w+) = """(.*?)"""/.dotMatchesNewlines()).reduce(source) {
            $0.replacing("\\(Self.\($1.1))", with: $1.2)
        }
    }

    /// Returns all string literals of a source text, including multi-line literals.
    private static func literals(_ source: String) -> [String] {
        var literals: [String] = []
        for (index, part) in source.components(separatedBy: "\"\"\"").enumerated() {
            if index % 2 == 1 {
                literals.append(part)
            } else {
                for line in part.split(separator: "\n") where !line.contains("//") {
                    let pieces = line.components(separatedBy: "\"")
                    for place in stride(from: 1, to: pieces.count, by: 2) { literals.append(pieces[place]) }
                }
            }
        }
        return literals
    }

    @Test("A set operation counts as one statement, whatever its size", arguments: [1, 10, 1000]) func setOperations(
        _ count: Int
    ) throws {
        let world = try World()
        let statements = try world.store.arrange(at: Make.now) { (tx) throws in
            let before = tx.sql.statementCount
            try tx.sql.run("INSERT INTO meta (name, value) VALUES ($1, 'x')", each: 0..<count) { "name\($0)" }
            var found = 0
            try tx.sql.query("SELECT 1 FROM meta WHERE name = $1", each: 0..<count) {
                "name\($0)"
            } row: { _, _ in
                found += 1
            }
            #expect(found == count)
            return tx.sql.statementCount - before
        }
        #expect(statements == 2)
    }

    @Test("Values are read as they were written")
    func values() throws {
        let world = try World()
        try world.store.arrange(at: Make.now) { (tx) throws in
            let row = try tx.sql.query(
                "SELECT $1, $2, $3, $4, $5, $6, $7",
                Int64.min,
                "",
                "a😀",
                [] as [UInt8],
                [0, 255] as [UInt8],
                nil as String?,
                true
            ) { row in
                (
                    row.next(Int64.self), row.next(String?.self), row.next(String.self),
                    row.next([UInt8]?.self),
                    row.next([UInt8].self), row.next(String?.self), row.next(Bool.self)
                )
            }.first
            let first = try #require(row)
            #expect(first.0 == .min && first.1 == "" && first.2 == "a😀" && first.3 == [])
            #expect(first.4 == [0, 255] && first.5 == nil && first.6)
        }
    }

    @Test(
        "Open commands are found without reading all of a device's commands",
        .onlyOnFile,
        arguments: [
            (CommandTable.queued, "commandQueued"), (CommandTable.firstQueued, "commandQueued"),
            (CommandTable.sent, "commandSent"), (CommandTable.firstSent, "commandSent"),
        ]
    )
    func plans(query: String, index: String) throws {
        let plan = try World().store.read { tx in
            try tx.sql.query("EXPLAIN QUERY PLAN \(query)", "d") {
                for _ in 0..<3 { _ = $0.nextColumn() }
                return $0.next(String.self)
            }
        }
        #expect(plan == ["SEARCH command USING INDEX \(index) (did=?)"])
    }
}
