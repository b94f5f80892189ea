import Domain
import JSON
import TestKit
import Testing
import Wire

@Suite("Reports on the wire")
struct ReportCodecTests {
    private static let ts = Make.now

    struct Good: CustomTestStringConvertible, Sendable {
        var text: String
        var report: Report
        var testDescription: String { text }
    }

    static let good: [Good] = [
        Good(text: #"{"data":{"a":1}}"#, report: Report(points: [.init(ts: nil, data: ["a": 1])])),
        Good(text: #"{"data":{}}"#, report: Report(points: [.init(ts: nil, data: [:])])),
        Good(
            text: #"{"id":"r-1","ts":1700000000000,"data":{"a":true},"other":[1]}"#,
            report: Report(
                id: MessageID(trusted: "r-1"),
                ts: ts,
                points: [.init(ts: ts, data: ["a": true])]
            )
        ),
        Good(text: #"{"cid":7}"#, report: Report(cid: 7)),
        Good(text: #"{"cid":7,"code":-3}"#, report: Report(cid: 7, code: -3)),
        Good(text: #"{"id":null,"ts":null,"cid":1}"#, report: Report(cid: 1)),
        Good(
            text:
                #"{"alerts":[{"name":"hot"},{"name":"wet","value":false}],"faults":[{"name":"f","value":{"n":1}}]}"#,
            report: Report(
                alerts: [.init("hot"), .init("wet", value: false)],
                faults: [.init("f", value: ["n": 1])]
            )
        ),
        Good(text: #"{"binary":"QUJD"}"#, report: Report(binary: "QUJD")),
        Good(
            text:
                #"{"id":"h","reports":[{"ts":1700000000001,"data":{"a":1}},{"ts":1700000000001,"data":{}},{"ts":1700000000002,"data":{"a":2}}]}"#,
            report: Report(
                id: MessageID(trusted: "h"),
                points: [
                    .init(ts: Instant(milliseconds: 1_700_000_000_001), data: ["a": 1]),
                    .init(ts: Instant(milliseconds: 1_700_000_000_001), data: [:]),
                    .init(ts: Instant(milliseconds: 1_700_000_000_002), data: ["a": 2]),
                ]
            )
        ),
    ]

    @Test("A valid report is parsed", arguments: good)
    func reads(_ row: Good) throws {
        #expect(try ReportCodec.decode(Make.bytes(row.text)) == row.report)
    }

    struct Bad: CustomTestStringConvertible, Sendable {
        var text: String
        var field: String?
        var id: String?
        init(_ text: String, _ field: String?, id: String? = nil) {
            self.text = text
            self.field = field
            self.id = id
        }
        var testDescription: String { String(text.prefix(80)) }
    }

    static let bad: [Bad] = [
        Bad("", nil), Bad("hello", nil), Bad("[]", nil), Bad("7", nil),
        Bad(#"{"data":{"a":NaN}}"#, nil),
        Bad(#"{"data":{"a":1e400}}"#, nil), Bad(#"{"data":{"a":1,"a":2}}"#, nil),
        Bad(#"{"data":{"a":"\u0000"}}"#, nil), Bad(#"{"data":{"a":"\uD800"}}"#, nil),
        Bad(#"{"data":{"a":9007199254740993}}"#, nil),
        Bad("{}", "data"), Bad(#"{"id":"x"}"#, "data", id: "x"), Bad(#"{"data":null}"#, "data"),
        Bad(#"{"data":7}"#, "data"), Bad(#"{"id":"x","data":[1]}"#, "data", id: "x"),
        Bad(#"{"id":7,"data":{}}"#, "id"), Bad(#"{"id":"","data":{}}"#, "id"),
        Bad(#"{"id":"a b","data":{}}"#, "id"),
        Bad(#"{"id":"\#(String(repeating: "i", count: 65))","data":{}}"#, "id"),
        Bad(#"{"id":"x","ts":"now","data":{}}"#, "ts", id: "x"), Bad(#"{"ts":-1,"data":{}}"#, "ts"),
        Bad(#"{"ts":1.5,"data":{}}"#, "ts"), Bad(#"{"cid":"7"}"#, "cid"),
        Bad(#"{"cid":1.5}"#, "cid"),
        Bad(#"{"cid":1,"code":"bad"}"#, "code"), Bad(#"{"binary":"x"}"#, "binary"),
        Bad(#"{"binary":7}"#, "binary"),
        Bad(#"{"alerts":{}}"#, "alerts"), Bad(#"{"alerts":["hot"]}"#, "alerts.0"),
        Bad(#"{"alerts":[{"value":1}]}"#, "alerts.0.name"),
        Bad(#"{"faults":[{"name":""}]}"#, "faults.0.name"),
        Bad(
            #"{"alerts":[\#(Array(repeating: #"{"name":"a"}"#, count: 65).joined(separator: ","))]}"#,
            "alerts"
        ),
        Bad(#"{"reports":[{"ts":1700000000001,"data":{}}]}"#, "id"),
        Bad(
            #"{"id":"h","reports":[{"ts":1700000000001,"data":{}}],"data":{}}"#,
            "reports",
            id: "h"
        ),
        Bad(#"{"id":"h","reports":[{"ts":1700000000001,"data":{}}],"cid":1}"#, "reports", id: "h"),
        Bad(#"{"id":"h","reports":[]}"#, "reports", id: "h"), Bad(#"{"id":"h","reports":[7]}"#, "reports.0", id: "h"),
        Bad(#"{"id":"h","reports":[{"data":{}}]}"#, "reports.0", id: "h"),
        Bad(#"{"id":"h","reports":[{"ts":1700000000001}]}"#, "reports.0", id: "h"),
        Bad(
            #"{"id":"h","reports":[{"ts":1700000000002,"data":{}},{"ts":1700000000001,"data":{}}]}"#,
            "reports.1.ts",
            id: "h"
        ),
        Bad(
            #"{"id":"h","reports":[\#(Array(repeating: #"{"ts":1700000000001,"data":{}}"#, count: 501).joined(separator: ","))]}"#,
            "reports",
            id: "h"
        ),
        Bad(#"{"id":"h","reports":{}}"#, "reports", id: "h"),
        Bad(#"{"id":"r","ts":1700000000,"data":{}}"#, "ts", id: "r"),
        Bad(#"{"id":"r","ts":1420070399999,"cid":1}"#, "ts", id: "r"),
        Bad(#"{"ts":0,"alerts":[{"name":"hot"}]}"#, "ts"),
        Bad(
            #"{"id":"h","reports":[{"ts":1700000000001,"data":{}},{"ts":1700000000,"data":{}}]}"#,
            "reports.1.ts",
            id: "h"
        ),
    ]

    @Test("An invalid report is refused with the field and its id", arguments: bad)
    func refuses(_ row: Bad) {
        do throws(WireError) {
            let report = try ReportCodec.decode(Make.bytes(row.text))
            Issue.record("taken as \(report)")
        } catch {
            #expect(error.field == row.field)
            #expect(error.id?.text == row.id)
            #expect(error.rejection.code == .invalidRequest)
            #expect(!error.reason.isEmpty)
        }
    }

    @Test("A time in seconds is refused with a hint at milliseconds; a time in 2015 is accepted")

    func seconds() throws {
        let error = #expect(throws: WireError.self) {
            try ReportCodec.decode(Make.bytes(#"{"ts":1700000000,"data":{}}"#))
        }
        let first = try ReportCodec.decode(Make.bytes(#"{"ts":1420070400000,"data":{}}"#))

        #expect(error?.reason.contains("milliseconds, not seconds") == true)
        #expect(first.ts == Report.earliest)
    }

    @Test("Five hundred stored points are accepted")
    func pointsMax() throws {
        let points = (1...500).map { #"{"ts":\#(1_700_000_000_000 + $0),"data":{"a":1}}"# }.joined(
            separator: ","
        )
        let report = try ReportCodec.decode(Make.bytes(#"{"id":"h","reports":[\#(points)]}"#))
        #expect(report.points.count == 500)
    }

    @Test("A payload has at most 64 KiB", arguments: [65_536, 65_537])
    func payloadMax(_ count: Int) {
        let frame = #"{"data":{"a":""}}"#.utf8.count
        let text = #"{"data":{"a":"\#(String(repeating: "x", count: count - frame))"}}"#
        let isTaken = (try? ReportCodec.decode(Make.bytes(text))) != nil
        #expect(text.utf8.count == count)
        #expect(isTaken == (count <= 65_536))
    }

    @Test(
        "The id of an invalid report is found after a long text",
        arguments: [5_000, 66_000, 250_000]
    )
    func lateID(_ count: Int) {
        let filler = String(repeating: "x", count: count)

        let error = #expect(throws: WireError.self) {
            try ReportCodec.decode(Make.bytes(#"{"data":{"a":"\#(filler)","id":"y"},"id":"x",}"#))
        }

        #expect(error?.id?.text == "x")
    }

    @Test(
        "The answer to a report has its id and version, where it is stored, and the server's time",
        arguments: Report.Stored.allCases + [nil]
    )
    func answer(_ stored: Report.Stored?) throws {
        let id = MessageID(trusted: "r-1")
        let answer = ReportCodec.accepted(id, version: 12, stored: stored, at: Make.now)
        #expect(
            try Make.object(answer) == [
                "id": "r-1", "ok": true, "version": 12, "stored": stored.map { .string($0.rawValue) },
                "ts": 1_700_000_000_000,
            ]
        )
    }

    @Test("Random bytes in place of a report cause no trap", arguments: 0..<20)
    func fuzz(_ seed: Int) {
        var random = Seed(seed)
        let seedText = Array(
            #"{"id":"h","reports":[{"ts":1700000000001,"data":{"a":[1,"x",null]}}],"alerts":[{"name":"a"}]}"#.utf8
        )
        for _ in 0..<500 {
            var bytes = seedText
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            _ = try? ReportCodec.decode(bytes[...])
        }
    }
}
