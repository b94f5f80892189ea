import JSON
import Testing

@testable import Domain

@Suite("What a report changes")
struct StatusRulesTests {
    private var ids = IDSource()
    private var status = Status(ts: Make.at(-1000))

    private mutating func take(
        _ report: Report,
        product: Product = Make.product()
    ) throws -> StatusRules.Outcome {
        try decide(report, product: product).get()
    }

    private mutating func decide(
        _ report: Report,
        product: Product = Make.product()
    ) -> Result<StatusRules.Outcome, Rejection> {
        StatusRules.decide(
            report,
            of: Make.did,
            product: product,
            status: &status,
            at: Make.now,
            ids: &ids
        )
    }

    private func value(_ name: String) -> JSONValue? {
        status.attributes.first { $0.name == name }?.value
    }

    private func time(_ name: String) -> Instant? {
        status.attributes.first { $0.name == name }?.ts
    }

    // MARK: Merging

    struct Merge: CustomTestStringConvertible, Sendable {
        var name: String
        /// Seconds from now of the second report; the first came at -100 with level 10.
        var ts: Int64?
        var level: JSONValue
        var wanted: JSONValue
        var isChanged: Bool
        var wantedTs: Int64
        var testDescription: String { name }
    }

    static let merges = [
        Merge(
            name: "a newer time wins",
            ts: -50,
            level: 20,
            wanted: 20,
            isChanged: true,
            wantedTs: -50
        ),
        Merge(
            name: "an equal time wins, later arrival",
            ts: -100,
            level: 20,
            wanted: 20,
            isChanged: true,
            wantedTs: -100
        ),
        Merge(
            name: "an older time loses",
            ts: -150,
            level: 20,
            wanted: 10,
            isChanged: false,
            wantedTs: -100
        ),
        Merge(
            name: "no time is the arrival",
            ts: nil,
            level: 20,
            wanted: 20,
            isChanged: true,
            wantedTs: 0
        ),
        Merge(
            name: "ten minutes ahead are taken as they are",
            ts: 600,
            level: 20,
            wanted: 20,
            isChanged: true,
            wantedTs: 600
        ),
        Merge(
            name: "more than ten minutes ahead are the arrival",
            ts: 601,
            level: 20,
            wanted: 20,
            isChanged: true,
            wantedTs: 0
        ),
        Merge(
            name: "the same value again changes nothing but its time",
            ts: -50,
            level: 10,
            wanted: 10,
            isChanged: false,
            wantedTs: -50
        ),
        Merge(
            name: "the same number written otherwise changes nothing",
            ts: -50,
            level: .double(10),
            wanted: 10,
            isChanged: false,
            wantedTs: -50
        ),
    ]

    @Test("A second report merges by time", arguments: merges)
    mutating func merging(_ row: Merge) throws {
        _ = try take(Make.report(["level": 10], ts: -100))
        let outcome = try take(Make.report(["level": row.level], ts: row.ts))

        #expect(value("level")?.means(row.wanted) == true)
        #expect(time("level") == Make.at(row.wantedTs))
        #expect(outcome.changed == (row.isChanged ? ["level"] : []))
        #expect(status.version == (row.isChanged ? 2 : 1))
        #expect(outcome.history.map(\.data) == [["level": row.level]])
    }

    @Test("A time that is a millisecond too far ahead is the arrival")
    func aheadByAMillisecond() {
        let edge = Make.at(600)
        let beyond = Instant(milliseconds: edge.milliseconds + 1)
        #expect(StatusRules.effective(edge, at: Make.now) == edge)
        #expect(StatusRules.effective(beyond, at: Make.now) == Make.now)
        #expect(StatusRules.effective(.max, at: Make.now) == Make.now)
        #expect(StatusRules.effective(nil, at: Make.now) == Make.now)
    }

    @Test("Each attribute has a time of its own")
    mutating func perAttribute() throws {
        _ = try take(Make.report(["level": 10, "power": true], ts: -100))
        _ = try take(Make.report(["level": 20], ts: -50))
        let outcome = try take(Make.report(["level": 30, "power": false], ts: -75))

        #expect(value("level") == 20)
        #expect(value("power") == false)
        #expect(outcome.changed == ["power"])
        #expect(status.version == 3)
    }

    @Test("An older report goes to the history at its own time")
    mutating func olderHistory() throws {
        _ = try take(Make.report(["level": 10], ts: -100))
        let outcome = try take(Make.report(["level": 20], ts: -150))

        #expect(outcome.history == [.init(ts: Make.at(-150), data: ["level": 20])])
        #expect(!outcome.isVisible)
    }

    @Test("A report with several changes raises the version once")
    mutating func oneVersion() throws {
        _ = try take(Make.report(["level": 10, "power": true, "temperature": 20.5]))
        #expect(status.version == 1)
        #expect(status.attributes.map(\.name) == ["level", "power", "temperature"])
    }

    @Test("A null means absent")
    mutating func null() throws {
        let outcome = try take(Make.report(["level": .null, "power": true]))
        #expect(outcome.changed == ["power"])
        #expect(value("level") == nil)
    }

    @Test("A report that only answers a command changes nothing")
    mutating func answerOnly() throws {
        let outcome = try take(Report(cid: 7, code: 0))
        #expect(outcome.changed.isEmpty && outcome.history.isEmpty && outcome.events.isEmpty)
        #expect(status.version == 0)
    }

    // MARK: Stored history

    @Test("Stored history merges point by point and raises the version once")
    mutating func batch() throws {
        let outcome = try take(
            Make.history([(-300, ["level": 10]), (-200, ["power": true]), (-100, ["level": 20])])
        )
        #expect(value("level") == 20)
        #expect(value("power") == true)
        #expect(status.version == 1)
        #expect(outcome.changed == ["level", "power"])
        #expect(outcome.history.map(\.ts) == [Make.at(-300), Make.at(-200), Make.at(-100)])
    }

    @Test("Stored history older than the state is kept and changes nothing")
    mutating func oldBatch() throws {
        _ = try take(Make.report(["level": 50]))
        let outcome = try take(Make.history([(-300, ["level": 10]), (-200, ["level": 20])]))
        #expect(value("level") == 50)
        #expect(status.version == 1)
        #expect(outcome.history.count == 2)
    }

    @Test("Stored history with one bad point is refused whole")
    mutating func badBatch() throws {
        let before = status
        let result = decide(Make.history([(-300, ["level": 10]), (-200, ["level": 1000])]))
        #expect(result.rejection?.field == "reports.1.data.level")
        #expect(status == before)
    }

    // MARK: Alerts and faults

    @Test(
        "A condition is announced once, cleared under its id, and begins anew",
        arguments: ConditionKind.allCases
    )
    mutating func conditions(_ kind: ConditionKind) throws {
        func report(_ value: JSONValue) -> Report {
            kind == .alert
                ? Make.report(alerts: [.init("hot", value: value)])
                : Make.report(faults: [.init("sensor", value: value)])
        }

        let raised = try take(report(true)).events
        let again = try take(report(42)).events
        let cleared = try take(report(false)).events
        let clearedAgain = try take(report(false)).events
        let anew = try take(report(42)).events

        let first = try #require(raised.first)
        #expect(first.type == kind.rawValue && first.value == true)
        #expect(first.actor == .device(Make.did))
        #expect(again.isEmpty)
        #expect(cleared.map(\.type) == [kind.clearedType])
        #expect(cleared.map(\.id) == [first.id])
        #expect(clearedAgain.isEmpty)
        #expect(anew.map(\.type) == [kind.rawValue] && anew.first?.id != first.id)
        #expect(status.version == 0)
    }

    @Test(
        "Values that are not false raise a condition",
        arguments: [true, 0, "", .null, [], [:]] as [JSONValue]
    )
    mutating func raising(_ value: JSONValue) throws {
        _ = try take(Make.report(alerts: [.init("hot", value: value)]))
        #expect(status.open.map(\.name) == ["hot"])
    }

    @Test("A late report neither raises what a newer one cleared nor clears what it raised")
    mutating func lateConditions() throws {
        _ = try take(Make.report(ts: -100, alerts: [.init("hot")]))
        _ = try take(Make.report(ts: -50, alerts: [.init("hot", value: false)]))
        let raisedLate = try take(Make.report(ts: -70, alerts: [.init("hot")]))
        #expect(raisedLate.events.isEmpty && status.open.isEmpty)

        let raised = try take(Make.report(ts: -50, alerts: [.init("hot")]))
        let clearedLate = try take(
            Make.report(ts: -60, alerts: [.init("hot", value: false)])
        )
        #expect(raised.events.map(\.type) == ["alert"])
        #expect(clearedLate.events.isEmpty && status.open.map(\.name) == ["hot"])
    }

    @Test("What was reported as off before it was ever on is not raised by a late report either")
    mutating func offFirst() throws {
        _ = try take(Make.report(ts: -50, faults: [.init("sensor", value: false)]))
        let late = try take(Make.report(ts: -60, faults: [.init("sensor")]))
        #expect(late.events.isEmpty && status.open.isEmpty)
    }

    @Test("The conditions that are remembered as off are bounded")
    mutating func clearedBound() throws {
        let names = (0..<500).map { "c\($0)" }
        let product = Make.product(alerts: names)
        for name in names {
            _ = try take(Make.report(alerts: [.init(name, value: false)]), product: product)
        }
        #expect(status.cleared.count == Status.clearedMax)
        #expect(status.cleared.last?.name == "c499")
    }

    @Test("A state that would not fit into a status message is refused whole")
    mutating func tooLarge() throws {
        let points = (0..<100).map { DataPoint("p\($0)", .string) }
        let product = Make.product(points: points)
        let text = JSONValue.string(String(repeating: "x", count: 1000))
        for number in 0..<48 {
            _ = try take(Make.report(JSONObject([("p\(number)", text)])), product: product)
        }
        let before = status

        let refused = decide(
            Make.report(JSONObject([("p48", text), ("p49", text)])),
            product: product
        )

        #expect(refused.rejection?.field == "data")
        #expect(status == before)
        _ = try take(Make.report(["p0": "short"]), product: product)
    }

    @Test("One report may raise, clear and raise again")
    mutating func flicker() throws {
        let events = try take(
            Make.report(alerts: [.init("hot"), .init("hot", value: false), .init("hot")])
        ).events
        #expect(events.map(\.type) == ["alert", "alertCleared", "alert"])
        #expect(events[0].id == events[1].id && events[1].id != events[2].id)
        #expect(status.open.count == 1)
    }

    @Test("An alert and a fault of one name are two things")
    mutating func sameName() throws {
        let product = Make.product(alerts: ["x"], faults: ["x"])
        _ = try take(Make.report(alerts: [.init("x")], faults: [.init("x")]), product: product)
        _ = try take(Make.report(alerts: [.init("x", value: false)]), product: product)
        #expect(status.open.map(\.kind) == [.fault])
    }

    // MARK: Refusals

    struct Refusal: CustomTestStringConvertible, Sendable {
        var name: String
        var report: Report
        var field: String
        var testDescription: String { name }
    }

    static let refusals = [
        Refusal(
            name: "an unknown attribute",
            report: Make.report(["speed": 1]),
            field: "data.speed"
        ),
        Refusal(
            name: "a value that doesn't fit",
            report: Make.report(["level": "high"]),
            field: "data.level"
        ),
        Refusal(
            name: "one bad value among good ones",
            report: Make.report(["power": true, "level": 101]),
            field: "data.level"
        ),
        Refusal(
            name: "a write-only value",
            report: Make.report(["pin": "1234"]),
            field: "data.pin"
        ),
        Refusal(
            name: "an undeclared alert",
            report: Make.report(["level": 5], alerts: [.init("cold")]),
            field: "alerts"
        ),
        Refusal(
            name: "an undeclared fault",
            report: Make.report(faults: [.init("hot")]),
            field: "faults"
        ),
    ]

    @Test("What doesn't fit the product is refused whole", arguments: refusals)
    mutating func refusal(_ row: Refusal) {
        let before = status
        let result = decide(row.report)
        #expect(result.rejection?.code == .invalidRequest)
        #expect(result.rejection?.field == row.field)
        #expect(status == before)
    }

    // MARK: Free-form products

    @Test("A free-form product takes any attribute, alert and fault")
    mutating func freeForm() throws {
        _ = try take(
            Make.report(["x": ["deep": [1, 2]]], alerts: [.init("any")], faults: [.init("any")]),
            product: Make.freeForm
        )
        #expect(value("x") == ["deep": [1, 2]])
        #expect(status.open.count == 2)
    }

    @Test("A free-form device has at most 256 attributes, over several reports")
    mutating func attributesMax() throws {
        func data(_ range: Range<Int>) -> JSONObject {
            JSONObject(range.map { ("a\($0)", .integer(Int64($0))) })
        }
        _ = try take(Make.report(data(0..<200)), product: Make.freeForm)
        _ = try take(Make.report(data(200..<256)), product: Make.freeForm)
        #expect(
            decide(Make.report(data(256..<257)), product: Make.freeForm).rejection?.field == "data"
        )
        #expect(status.attributes.count == 256)
        _ = try take(Make.report(["a0": 77]), product: Make.freeForm)
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
    /// The refusal, or nil.
    var rejection: Rejection? {
        if case .failure(let rejection) = self { rejection } else { nil }
    }
}
