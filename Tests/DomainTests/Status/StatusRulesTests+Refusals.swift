import JSON
import Testing

@testable import Domain

/// Tests of refused reports, and of reports from devices whose product has no data points.
extension StatusRulesTests {
    struct Refusal: CustomTestStringConvertible, Sendable {
        var name: String
        var report: Report
        var field: String
        var testDescription: String { name }
    }

    static let refusals = [
        Refusal(name: "an unknown attribute", report: Make.report(["speed": 1]), field: "data.speed"),
        Refusal(name: "a value that doesn't fit", report: Make.report(["level": "high"]), field: "data.level"),
        Refusal(
            name: "one bad value among good ones",
            report: Make.report(["power": true, "level": 101]),
            field: "data.level"
        ), Refusal(name: "a write-only value", report: Make.report(["pin": "1234"]), field: "data.pin"),
        Refusal(
            name: "an undeclared alert",
            report: Make.report(["level": 5], alerts: [.init("cold")]),
            field: "alerts"
        ), Refusal(name: "an undeclared fault", report: Make.report(faults: [.init("hot")]), field: "faults"),
    ]

    @Test("A report that doesn't match the product is refused completely", arguments: refusals) mutating func refusal(
        _ row: Refusal
    ) {
        let before = status
        let result = decide(row.report)
        #expect(result.rejection?.code == .invalidRequest)
        #expect(result.rejection?.field == row.field)
        #expect(status == before)
    }

    @Test("A state that would not fit in a status message is refused completely") mutating func tooLarge() throws {
        let points = (0..<100).map { DataPoint("p\($0)", .string) }
        let product = Make.product(points: points)
        let text = JSONValue.string(String(repeating: "x", count: 1000))
        for number in 0..<48 { _ = try take(Make.report(JSONObject([("p\(number)", text)])), product: product) }
        let before = status

        let refused = decide(Make.report(JSONObject([("p48", text), ("p49", text)])), product: product)

        #expect(refused.rejection?.field == "data")
        #expect(status == before)
        _ = try take(Make.report(["p0": "short"]), product: product)
    }

    @Test("A free-form product accepts any attribute, alert and fault")
    mutating func freeForm() throws {
        _ = try take(
            Make.report(["x": ["deep": [1, 2]]], alerts: [.init("any")], faults: [.init("any")]),
            product: Make.freeForm
        )
        #expect(value("x") == ["deep": [1, 2]])
        #expect(status.open.count == 2)
    }

    @Test("A free-form device has at most 256 attributes over all its reports") mutating func attributesMax() throws {
        func data(_ range: Range<Int>) -> JSONObject { JSONObject(range.map { ("a\($0)", .integer(Int64($0))) }) }
        _ = try take(Make.report(data(0..<200)), product: Make.freeForm)
        _ = try take(Make.report(data(200..<256)), product: Make.freeForm)
        #expect(decide(Make.report(data(256..<257)), product: Make.freeForm).rejection?.field == "data")
        #expect(status.attributes.count == 256)
        _ = try take(Make.report(["a0": 77]), product: Make.freeForm)
    }

    @Test("A free-form device has at most 64 active alerts, and can always clear one")

    mutating func conditionsMax() throws {
        for number in 0..<64 { _ = try take(Make.report(alerts: [.init("a\(number)")]), product: Make.freeForm) }
        let before = status
        let one = Make.report(alerts: [.init("one more")])
        #expect(decide(one, product: Make.freeForm).rejection?.field == "alerts")
        #expect(status == before)
        _ = try take(Make.report(alerts: [.init("a0", value: false)]), product: Make.freeForm)
        _ = try take(one, product: Make.freeForm)
    }

    @Test("The refusal of a batch with a single report names the field as for any batch")
    mutating func batchOfOne() {
        let report = Report(points: [.init(ts: Make.now, data: ["unheard": 1])])
        #expect(decide(report, product: Make.product()).rejection?.field == "reports.0.data.unheard")
    }

    @Test("A free-form device has at most 32 KiB of state")
    mutating func bytesMax() throws {
        let half = JSONValue.string(String(repeating: "x", count: 16_000))
        _ = try take(Make.report(["a": half, "b": half]), product: Make.freeForm)
        let before = status
        #expect(decide(Make.report(["c": half]), product: Make.freeForm).rejection?.field == "data")
        #expect(status == before)
        _ = try take(Make.report(["a": "short"]), product: Make.freeForm)
    }

    @Test(
        "A free-form name has 1 to 128 bytes",
        arguments: [(0, false), (1, true), (128, true), (129, false)]
    )
    mutating func names(_ count: Int, _ fits: Bool) {
        let name = String(repeating: "n", count: count)
        let result = decide(Make.report(JSONObject([(name, 1)])), product: Make.freeForm)
        #expect((result.rejection == nil) == fits)
    }
}

extension Result where Failure == Rejection {
    /// The rejection of a failed result, or nil for a success.
    var rejection: Rejection? {
        if case .failure(let rejection) = self { rejection } else { nil }
    }
}
