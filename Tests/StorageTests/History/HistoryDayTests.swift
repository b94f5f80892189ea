import Domain
import JSON
import TestKit
import Testing

@testable import Storage

@Suite("Sums of a device's days")
struct HistoryDayTests {
    private let world: World
    private let day = HistoryDay.number(of: Make.now.milliseconds)

    init() throws {
        world = try World()
        try world.fill()
    }

    /// Adds records that are spread evenly over the day, and moves them into chunks.
    private func fill(_ count: Int, value: Int64) throws {
        let start = HistoryDay.time(of: day).lowerBound
        let records = (0..<count).map { number in
            let at = start + Int64(number) * (HistoryDay.length / Int64(count))
            return HistoryRecord(
                did: Make.did,
                ts: Instant(milliseconds: at),
                data: ["level": .integer(value), "on": .bool(number % 2 == 0)]
            )
        }
        try world.store.arrange(at: Make.now) { try $0.history.append(records) }
        try world.store.compactHistory(bytesMax: .max, step: 100, at: Make.now)
    }

    private func sumUp() throws -> Bool {
        let draft = try world.store.read { try $0.history.days.sumUp(Make.did, day: day) }
        return try world.store.arrange(at: Make.now) { try $0.history.days.save(draft) }
    }

    private func totals(_ name: String = "level") throws -> ValueTotals? {
        let days = try world.store.read { try $0.history.days.sums(of: name, Make.did, days: day - 2...day + 2) }
        return days.first.map { sums in sums.halves.reduce(into: ValueTotals()) { $0.add($1.totals) } }
    }

    private func begin() throws { try world.store.arrange(at: Make.now) { try $0.history.days.begin(day) } }

    @Test("A day with many records is summed up exactly by half hours")
    func exact() throws {
        try fill(960, value: 7)
        try begin()
        #expect(try world.store.read { try $0.history.days.missing([Make.did], day: day) } == [Make.did])

        #expect(try sumUp())

        #expect(try world.store.read { try $0.history.days.missing([Make.did], day: day) }.isEmpty)
        let totals = try #require(try totals())
        #expect(totals.count == 960 && totals.sum == 6720 && totals.least == 7 && totals.most == 7)
        #expect(try self.totals("on")?.last == .bool(false))
        let days = try world.store.read { try $0.history.days.sums(of: "level", Make.did, days: day...day) }
        #expect(days[0].halves.map(\.place) == Array(0..<48))
        #expect(days[0].halves.allSatisfy { $0.totals.count == 20 })
    }

    @Test("A late transaction sets neither day back")
    func forward() throws {
        try begin()
        try world.store.arrange(at: Make.now) { tx in
            try tx.history.days.finish(day)
            try tx.history.days.begin(day - 1)
            try tx.history.days.finish(day - 1)
        }

        #expect(try world.store.read { try $0.meta.value("historyDaysBegun") } == "\(day)")
        #expect(try world.store.read { try $0.history.days.done() } == day)
    }

    @Test("A day with few records has no sums")
    func few() throws {
        try fill(Int(HistoryDay.recordsMin) - 1, value: 1)
        try begin()

        #expect(try world.store.read { try $0.history.days.missing([Make.did], day: day) }.isEmpty)
        #expect(try sumUp())
        #expect(try totals() == nil)
    }

    @Test("Late records make a day's sums obsolete until it is summed up again")
    func late() throws {
        try fill(600, value: 1)
        try begin()
        #expect(try sumUp())

        try fill(600, value: 9)

        #expect(try totals() == nil)
        #expect(try world.store.read { try $0.history.days.stale(limit: 9) }.map(\.day) == [day])
        #expect(try sumUp())
        #expect(try totals()?.count == 1200)
        #expect(try totals()?.most == 9)
        #expect(try world.store.read { try $0.history.days.stale(limit: 9) }.isEmpty)
    }

    @Test("Sums made while records arrived are discarded")
    func race() throws {
        try fill(600, value: 1)
        try begin()
        let draft = try world.store.read { try $0.history.days.sumUp(Make.did, day: day) }
        try fill(600, value: 9)

        let isKept = try world.store.arrange(at: Make.now) { try $0.history.days.save(draft) }

        #expect(!isKept)
        #expect(try totals() == nil)
    }

    @Test("Sums are deleted with expired records and with the device")
    func pruned() throws {
        try fill(600, value: 1)
        try begin()
        #expect(try sumUp())
        let noon = Instant(milliseconds: HistoryDay.time(of: day).lowerBound + HistoryDay.length / 2)

        _ = try world.store.arrange(at: Make.now) { try $0.history.prune(before: noon, of: Make.did, limit: 10) }

        #expect(try totals() == nil)
        #expect(try sumUp())
        try world.store.arrange(at: Make.now) { try $0.devices.forget(Make.did) }
        let rows = try world.store.read { tx in try tx.sql.integer("SELECT count(*) FROM historyDay") }
        #expect(rows == 0)
    }
}
