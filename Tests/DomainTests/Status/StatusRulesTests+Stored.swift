import JSON
import Testing

@testable import Domain

extension StatusRulesTests {
    struct Place: CustomTestStringConvertible, Sendable {
        var name: String
        var report: Report
        var stored: Report.Stored
        var testDescription: String { name }
    }

    /// Reports of a device whose product has no data points.
    ///
    /// The device reported `level`, `power` and the alert `hot` 100 seconds earlier.
    static let places = [
        Place(name: "newer values", report: Make.report(["level": 1], ts: -50), stored: .state),
        Place(name: "no time", report: Make.report(["level": 1]), stored: .state),
        Place(name: "the same time", report: Make.report(["level": 1], ts: -100), stored: .state),
        Place(name: "older values", report: Make.report(["level": 1], ts: -101), stored: .history),
        Place(name: "an older new one", report: Make.report(["new": 1], ts: -101), stored: .state),
        Place(
            name: "older values, one of them new",
            report: Make.report(["level": 1, "new": 2], ts: -101),
            stored: .state
        ),
        Place(
            name: "stored ones, the last newer",
            report: Make.history([(-300, ["level": 1]), (-50, ["level": 2])]),
            stored: .state
        ),
        Place(
            name: "stored ones, all older",
            report: Make.history([(-300, ["level": 1]), (-200, ["power": true])]),
            stored: .history
        ),
        Place(name: "a newer end", report: hot(false, ts: -50), stored: .state),
        Place(name: "an older end", report: hot(false, ts: -101), stored: .history),
        Place(name: "bytes", report: Report(binary: "AAEC"), stored: .history),
        Place(
            name: "bytes and values",
            report: Report(points: [.init(ts: nil, data: ["level": 1])], binary: "AAEC"),
            stored: .state
        ),
        Place(name: "a command's answer alone", report: Report(cid: 1), stored: .state),
        Place(name: "no values at all", report: Make.report([:], ts: -101), stored: .state),
    ]

    private static func hot(_ isOn: Bool, ts: Int64) -> Report {
        Make.report(ts: ts, alerts: [.init("hot", value: .bool(isOn))])
    }

    @Test("The answer says whether the report is stored in the state or in the history", arguments: places)
    mutating func stored(
        _ row: Place
    ) throws {
        let before = Make.report(["level": 9, "power": false], ts: -100, alerts: [.init("hot")])
        _ = try take(before, product: Make.freeForm)

        #expect(try take(row.report, product: Make.freeForm).stored == row.stored)
    }

    @Test("Only products without data points accept raw bytes") mutating func binary() throws {
        let report = Report(points: [.init(ts: nil, data: ["level": 10])], binary: "AAEC")
        let before = status

        #expect(decide(report, product: Make.product()).rejection?.field == "binary")
        #expect(status == before)
        _ = try take(report, product: Make.freeForm)
        #expect(ProductRules.refuseBinary(Make.product(), "binary")?.field == "binary")
        #expect(ProductRules.refuseBinary(Make.freeForm, "binary") == nil)
    }
}
