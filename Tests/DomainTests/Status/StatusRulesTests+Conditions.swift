import JSON
import Testing

@testable import Domain

/// Tests of alerts and faults that are announced, cleared, or reported late.
extension StatusRulesTests {
    @Test(
        "A condition is announced once, cleared under its id, and can be raised again",
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
        "Each value other than false raises a condition",
        arguments: [true, 0, "", .null, [], [:]] as [JSONValue]
    )
    mutating func raising(_ value: JSONValue) throws {
        _ = try take(Make.report(alerts: [.init("hot", value: value)]))
        #expect(status.open.map(\.name) == ["hot"])
    }

    @Test("A late report neither raises a condition that a newer report cleared, nor clears one that it raised")
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

    @Test("A late report doesn't raise a condition that was first reported as off")

    mutating func offFirst() throws {
        _ = try take(Make.report(ts: -50, faults: [.init("sensor", value: false)]))
        let late = try take(Make.report(ts: -60, faults: [.init("sensor")]))
        #expect(late.events.isEmpty && status.open.isEmpty)
    }

    @Test("The number of remembered cleared conditions is limited")
    mutating func clearedBound() throws {
        let names = (0..<500).map { "c\($0)" }
        let product = Make.product(alerts: names)
        for name in names { _ = try take(Make.report(alerts: [.init(name, value: false)]), product: product) }
        #expect(status.cleared.count == Status.clearedMax)
        #expect(status.cleared.last?.name == "c499")
    }

    @Test("Conditions that the product no longer declares can only be cleared")
    mutating func undeclared() throws {
        _ = try take(Make.report(alerts: [.init("old")]), product: Make.product(alerts: ["old"]))
        let next = Make.product(alerts: ["new"])
        #expect(decide(Make.report(alerts: [.init("old")]), product: next).rejection != nil)
        let end = Make.report(alerts: [.init("old", value: false)])
        #expect(try take(end, product: next).events.map(\.type) == ["alertCleared"])
        #expect(decide(end, product: next).rejection?.field == "alerts")
    }

    @Test("One report can raise, clear and raise a condition again")
    mutating func flicker() throws {
        let events = try take(
            Make.report(alerts: [.init("hot"), .init("hot", value: false), .init("hot")])
        ).events
        #expect(events.map(\.type) == ["alert", "alertCleared", "alert"])
        #expect(events[0].id == events[1].id && events[1].id != events[2].id)
        #expect(status.open.count == 1)
    }

    @Test("An alert and a fault with the same name are independent")
    mutating func sameName() throws {
        let product = Make.product(alerts: ["x"], faults: ["x"])
        _ = try take(Make.report(alerts: [.init("x")], faults: [.init("x")]), product: product)
        _ = try take(Make.report(alerts: [.init("x", value: false)]), product: product)
        #expect(status.open.map(\.kind) == [.fault])
    }

}
