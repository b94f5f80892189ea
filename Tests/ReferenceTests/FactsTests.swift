import Credentials
import Domain
import Foundation
import JSON
import Problems
import Service
import ServiceSettings
import Testing
import Web

@testable import Reference

@Suite struct FactsTests {
    /// Compares `schemas/facts.jsonl` with the facts that the program knows.
    ///
    /// With `LAMPLIGHTER_WRITE_FACTS=1`, the test first rewrites the file. `schemas/bundle.py` then generates the pages
    /// from it.
    @Test("schemas/facts.jsonl lists the program's settings, metrics, problems and errors")
    func facts() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../schemas/facts.jsonl").standardized
        let text = Self.facts.map { String(decoding: $0.encoded(), as: UTF8.self) + "\n" }.joined()
        if ProcessInfo.processInfo.environment["LAMPLIGHTER_WRITE_FACTS"] == "1" { try Data(text.utf8).write(to: file) }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    /// The facts that only the program knows, as objects that begin with their kind.
    private static var facts: [JSONValue] {
        let errors = ErrorCode.allCases.map { code -> JSONObject in
            [
                "error": .string(code.rawValue), "cause": .string(code.page.cause), "cure": .string(code.page.cure),
                "isPassing": .bool(code.isPassing),
            ]
        }
        let refusals = RefusalReason.allCases.map { reason -> JSONObject in
            [
                "refusal": .string(reason.rawValue), "title": .string(reason.page.title),
                "cause": .string(reason.page.cause), "cure": .string(reason.page.cure),
            ]
        }
        let problems = ProblemCode.allCases.map { code -> JSONObject in
            ["problem": .string(code.rawValue), "title": .string(code.page.title), "text": .string(code.page.text)]
        }
        let metrics = MetricCatalog.entries.map { metric -> JSONObject in
            ["metric": .string(metric.name), "kind": .string(metric.kind.rawValue), "help": .string(metric.help)]
        }
        let all = errors + refusals + problems + SettingsTable.all.map(setting) + metrics
        return all.map(JSONValue.object)
    }

    private static func setting(_ row: Setting) -> JSONObject {
        let takes = row.kindText.replacing("|", with: ", ")
        return [
            "setting": .string(row.key), "takes": .string(row.unit.isEmpty ? takes : "\(takes), \(row.unit)"),
            "default": .string(row.standard.text), "doc": .string(row.doc),
        ]
    }
}
