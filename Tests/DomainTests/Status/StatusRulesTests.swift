import JSON
import Testing

@testable import Domain

@Suite("Changes by reports")
struct StatusRulesTests {
    var ids = IDSource()
    var status = Status(ts: Make.at(-1000))

    mutating func take(
        _ report: Report,
        product: Product = Make.product()
    ) throws -> StatusRules.Outcome {
        try decide(report, product: product).get()
    }

    mutating func decide(
        _ report: Report,
        product: Product = Make.product(),
        at now: Instant = Make.now
    ) -> Result<StatusRules.Outcome, Rejection> {
        StatusRules.decide(report, of: Make.did, product: product, status: &status, at: now, ids: &ids)
    }

    func value(_ name: String) -> JSONValue? {
        status.attributes.first { $0.name == name }?.value
    }

    func time(_ name: String) -> Instant? {
        status.attributes.first { $0.name == name }?.ts
    }

    struct Merge: CustomTestStringConvertible, Sendable {
        var name: String
        /// The second report's timestamp, in seconds from now; the first report has the timestamp -100.
        var ts: Int64?
        var level: JSONValue
        var wanted: JSONValue
        var isChanged: Bool
        var wantedTs: Int64
        var testDescription: String { name }
    }

    static let merges = [
        Merge(name: "a newer time wins", ts: -50, level: 20, wanted: 20, isChanged: true, wantedTs: -50),
        Merge(
            name: "an equal time wins, later arrival",
            ts: -100,
            level: 20,
            wanted: 20,
            isChanged: true,
            wantedTs: -100
        ), Merge(name: "an older time loses", ts: -150, level: 20, wanted: 10, isChanged: false, wantedTs: -100),
        Merge(name: "no time is the arrival", ts: nil, level: 20, wanted: 20, isChanged: true, wantedTs: 0),
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

    @Test("A second report is merged by time", arguments: merges)
    mutating func merging(_ row: Merge) throws {
        _ = try take(Make.report(["level": 10], ts: -100))
        let outcome = try take(Make.report(["level": row.level], ts: row.ts))

        #expect(value("level")?.means(row.wanted) == true)
        #expect(time("level") == Make.at(row.wantedTs))
        #expect(outcome.changed == (row.isChanged ? ["level"] : []))
        #expect(status.version == (row.isChanged ? 2 : 1))
        #expect(outcome.history.map(\.data) == [["level": row.level]])
    }

    @Test("A time more than the allowed lead ahead is replaced by the time of arrival")
    func aheadByAMillisecond() {
        let edge = Make.at(600)
        let beyond = Instant(milliseconds: edge.milliseconds + 1)
        #expect(StatusRules.effective(edge, at: Make.now) == edge)
        #expect(StatusRules.effective(beyond, at: Make.now) == Make.now)
        #expect(StatusRules.effective(.max, at: Make.now) == Make.now)
        #expect(StatusRules.effective(nil, at: Make.now) == Make.now)
    }

    @Test("After the clock is set back, reports and alerts take effect at once") mutating func setBack() throws {
        let fast = Make.at(10_800)
        let alert = [Report.Condition("hot")]
        _ = try decide(Make.report(["level": 10], alerts: alert), at: fast).get()
        let raised = try #require(status.open.first)

        let off = try take(
            Make.report(["level": 20], alerts: [.init("hot", value: false)])
        )
        let on = try take(Make.report(alerts: alert))

        #expect(off.stored == .state && value("level") == 20 && time("level") == Make.now)
        #expect(off.events.map(\.id) == [raised.eventID])
        #expect(on.events.count == 1 && status.ts == Make.now)
    }

    @Test(
        "A report without a time counts as the newest, whatever times are stored",
        arguments: [2, 599, 600] as [Int64]
    )
    mutating func arrival(_ ahead: Int64) throws {
        let fast = Make.at(ahead)
        _ = try decide(Make.report(["level": 10], alerts: [.init("hot")]), at: fast).get()
        #expect(try take(Make.report(["level": 15], ts: ahead - 1)).stored == .history)
        let raised = try #require(status.open.first)

        let off = try take(Make.report(["level": 20], alerts: [.init("hot", value: false)]))
        #expect(off.stored == .state && off.changed == ["level"])
        #expect(off.events.map(\.id) == [raised.eventID] && status.open.isEmpty)
        #expect(value("level") == 20 && time("level") == Make.now && status.ts == Make.now)

        // The values of a report without a timestamp get the time of the report's arrival. A later report with a
        // timestamp replaces these values only if its timestamp isn't older than this time.
        #expect(try take(Make.report(["level": 25], ts: -1)).stored == .history)
        let timed = Make.report(["level": 30], ts: 1)
        #expect(try decide(timed, at: Make.at(1)).get().stored == .state)
        #expect(value("level") == 30 && time("level") == Make.at(1) && status.version == 3)
    }

    @Test("Each attribute has its own time")
    mutating func perAttribute() throws {
        _ = try take(Make.report(["level": 10, "power": true], ts: -100))
        _ = try take(Make.report(["level": 20], ts: -50))
        let outcome = try take(Make.report(["level": 30, "power": false], ts: -75))

        #expect(value("level") == 20)
        #expect(value("power") == false)
        #expect(outcome.changed == ["power"])
        #expect(status.version == 3)
    }

    @Test("An older report is stored in the history at its own time")
    mutating func olderHistory() throws {
        _ = try take(Make.report(["level": 10], ts: -100))
        let outcome = try take(Make.report(["level": 20], ts: -150))

        #expect(outcome.history == [.init(ts: Make.at(-150), data: ["level": 20])])
        #expect(!outcome.isVisible)
    }

    @Test("An older alert is stored in the history at its own time, and changes nothing")

    mutating func olderAlert() throws {
        _ = try take(Make.report(alerts: [.init("hot")]))
        let before = status
        let off = Make.report(ts: -50, alerts: [.init("hot", value: false)])
        let outcome = try take(off)

        #expect(outcome.stored == .history && !outcome.isVisible)
        #expect(outcome.lateEvents.map(\.type) == [ConditionKind.alert.clearedType])
        #expect(outcome.lateEvents.map(\.ts) == [Make.at(-50)])
        #expect(outcome.lateEvents.first?.id != before.open.first?.eventID)
        #expect(status == before)
    }

    @Test("A report with several changes increases the version once")
    mutating func oneVersion() throws {
        _ = try take(Make.report(["level": 10, "power": true, "temperature": 20.5]))
        #expect(status.version == 1)
        #expect(status.attributes.map(\.name) == ["level", "power", "temperature"])
    }

    @Test("Null means absent")
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

    @Test("A stored batch is merged point by point and increases the version once")
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

    @Test("A stored batch that is older than the state is recorded and changes nothing")

    mutating func oldBatch() throws {
        _ = try take(Make.report(["level": 50]))
        let outcome = try take(Make.history([(-300, ["level": 10]), (-200, ["level": 20])]))
        #expect(value("level") == 50)
        #expect(status.version == 1)
        #expect(outcome.history.count == 2)
    }

    @Test("A stored batch with one invalid point is refused completely")
    mutating func badBatch() throws {
        let before = status
        let result = decide(Make.history([(-300, ["level": 10]), (-200, ["level": 1000])]))
        #expect(result.rejection?.field == "reports.1.data.level")
        #expect(status == before)
    }

    @Test("Names that look alike but have different code points are different names")
    mutating func equivalentNames() throws {
        let names = ["caf\u{E9}", "cafe\u{301}"]
        #expect(names[0] == names[1])
        let first = try take(
            Make.report(
                JSONObject(members: names.map { .init(key: $0, value: 1) }),
                alerts: names.map { .init($0) }
            ),
            product: Make.freeForm
        )
        #expect(first.changed.map { Array($0.utf8) } == names.map { Array($0.utf8) })
        #expect(first.events.count == 2 && status.open.count == 2)
        let second = try take(
            Make.report(JSONObject(members: names.map { .init(key: $0, value: 2) })),
            product: Make.freeForm
        )
        #expect(second.changed.map { Array($0.utf8) } == names.map { Array($0.utf8) })
        let cleared = try take(Make.report(alerts: [.init(names[1], value: false)]), product: Make.freeForm)
        #expect(cleared.events.map(\.id) == [first.events[1].id])
        #expect(status.open.map { Array($0.name.utf8) } == [Array(names[0].utf8)])
    }
}
