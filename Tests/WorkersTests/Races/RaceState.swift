import Foundation
import JSON
import PostgreSQL

/// The state after a race: all rows of all tables, and the racers' answers, as text.
struct RaceState {
    /// The rows of each table, each as a dictionary from column names to values.
    var tables: [String: [[String: String]]] = [:]
    /// The values in the answers; each key names the racer and the value's path.
    var answers: [String: String] = [:]

    /// Reads all rows of the given tables.
    init(_ connection: PostgresConnection, of tables: [String]) throws {
        // One `json_build_object` would need two arguments for each of over 50 tables. A function takes at most 100
        // arguments.
        let parts = tables.map { "SELECT '\($0)' AS name, (SELECT json_agg(t) FROM \($0) AS t) AS content" }
        let query = """
            SELECT CAST(json_object_agg(name, content) AS TEXT)
            FROM (\(parts.joined(separator: " UNION ALL "))) AS part
            """
        let text = try connection.execute(query).texts.first ?? "{}"
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        for (name, rows) in object ?? [:] {
            self.tables[name] = (rows as? [[String: Any]] ?? []).map { $0.mapValues { "\($0)" } }
        }
        // Each commit leaves a mark in the table `notice`. The mark is ignored here, since the next commit deletes it.
        self.tables["notice"]?.removeAll { $0["noticeid"]?.hasPrefix("commit ") == true }
    }

    /// Adds the answers that a racer has received.
    mutating func add(_ racer: Racer) {
        let name = racer.name
        if let failure = racer.failure { answers["\(name) failed"] = failure }
        for (place, answer) in racer.answers.enumerated() { add(.object(answer), "\(name)\(place)") }
    }

    private mutating func add(_ value: JSONValue, _ path: String) {
        switch value {
        case .object(let object): for member in object.members { add(member.value, "\(path).\(member.key)") }
        case .array(let values):
            answers["\(path).count"] = "\(values.count)"
            for (place, value) in values.enumerated() { add(value, "\(path).\(place)") }
        default: answers[path] = "\(value)"
        }
    }

    /// Returns the columns and paths whose values differ although two races ran their steps in the same order.
    ///
    /// These values are random ids, secrets, and numbers that grow from race to race.
    func noise(beside other: RaceState) -> Set<String> {
        var noise: Set<String> = []
        for (path, value) in answers where other.answers[path] != value { noise.insert(path) }
        for (table, rows) in tables {
            let others = other.tables[table] ?? []
            for column in Set((rows + others).flatMap(\.keys)) {
                let values = rows.map { $0[column] ?? "" }.sorted()
                if values != others.map({ $0[column] ?? "" }).sorted() { noise.insert("\(table).\(column)") }
            }
        }
        return noise
    }

    /// Returns all rows and answers as lines, without the columns and paths in `noise`.
    ///
    /// A device that the race creates has a random lane. So either racer can carry out the device's refreshes. The
    /// table of refreshes is therefore left out if the race creates a device.
    func lines(without noise: Set<String>) -> [String] {
        let tables = tables.filter { !noise.contains("device.did") || $0.key != "refresh" }
        let answers = answers.filter { !noise.contains($0.key) }.map { "\($0.key) = \($0.value)" }
        let rows = tables.flatMap { table, rows in
            rows.map { row in
                let values = row.filter { !noise.contains("\(table).\($0.key)") }
                return "\(table): "
                    + values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                    .joined(separator: " ")
            }
        }
        return answers.sorted() + rows.sorted()
    }

    /// Returns the names of the tables whose rows differ between two states.
    func changed(since other: RaceState) -> [String] {
        tables.keys.filter { table in
            func sorted(_ rows: [[String: String]]?) -> [String] {
                (rows ?? []).map { row in
                    row.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
                }.sorted()
            }
            return sorted(tables[table]) != sorted(other.tables[table])
        }
    }
}
