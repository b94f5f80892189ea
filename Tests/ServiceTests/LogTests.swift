import JSON
import Logging
import Testing

@testable import Service

@Suite("The log as JSON")
struct LogTests {
    private func object(
        _ message: Logger.Message,
        _ metadata: Logger.Metadata,
        own: Logger.Metadata = [:]
    ) throws -> JSONObject {
        var handler = JSONLogHandler(label: "lamplighter.worker", ownLevel: .info)
        handler.metadata = own
        let event = LogEvent(
            level: .warning,
            message: message,
            metadata: metadata,
            source: "test",
            file: "file",
            function: "function",
            line: 1
        )
        let line = handler.line(for: event, at: "2026-11-23T16:04:39.001Z")
        #expect(!line.contains(UInt8(ascii: "\n")))
        return try #require(try JSONValue.parse(line).objectValue)
    }

    @Test("A line has time, level, label, message and metadata")
    func fields() throws {
        let line = try object(
            "A command was sent",
            ["command.cid": "7", "tries": .stringConvertible(3), "late": .stringConvertible(true)],
            own: ["worker": "control"]
        )

        #expect(
            line == [
                "time": "2026-11-23T16:04:39.001Z", "level": "warning",
                "label": "lamplighter.worker", "message": "A command was sent",
                "command.cid": "7", "late": true, "tries": 3, "worker": "control",
            ]
        )
    }

    @Test("External texts can neither end a line nor replace its own fields") func hostile() throws {
        let line = try object("m", ["level": "fake", "topic": "a\n{\"level\":\"b\"}\u{1b}[31m", "long": "\(long)"])

        #expect(line["level"] == "warning")
        #expect(line["metadata.level"] == "fake")
        #expect(line["topic"]?.stringValue == "a\n{\"level\":\"b\"}\u{1b}[31m")
        #expect(line["long"]?.stringValue?.utf8.count == 1024 + 3)
    }

    @Test(
        "In the text log, a value remains one value for readers of bytes",
        arguments: [
            ("plain", "plain"), ("", "\"\""), ("a b", "\"a b\""), ("a=b", "\"a=b\""),
            ("x\"\u{301} reason=ok", "\"x\\\"\u{301} reason=ok\""),
            ("=\u{301}", "\"=\u{301}\""), ("a\\\" b", "\"a\\\\\\\" b\""),
            ("a\u{2028}b\u{85}c\nd", "\"a b c d\""),
        ]
    )
    func quoted(_ value: String, line: String) {
        #expect(CompactLogHandler.quoted(value).unicodeScalars.elementsEqual(line.unicodeScalars))
    }

    private let long = String(repeating: "x", count: 5000)

    @Test("Lists and dictionaries are logged as such")
    func nested() throws {
        let line = try object("m", ["ids": ["a", "b"], "at": ["x": "1"]])

        #expect(line["ids"] == ["a", "b"])
        #expect(line["at"] == ["x": "1"])
    }
}
