import Domain
import JSON
import TestKit
import Testing

@testable import Storage

@Suite("Reading a device's history")
struct HistoryScanTests {
    private let world: World
    private let other = DeviceID(trusted: "d-0000000000002")

    init() throws {
        world = try World()
        try world.fill()
        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.devices.create(other, product: Make.key, mac: MAC(trusted: "0123456789ac"))
        }
    }

    private func append(_ records: [HistoryRecord]) throws {
        try world.store.arrange(at: Make.now) { try $0.history.append(records) }
    }

    private func record(_ second: Int64, _ value: Int64, of did: DeviceID = Make.did) -> HistoryRecord {
        HistoryRecord(did: did, ts: Make.at(second), data: ["level": .integer(value)])
    }

    private func sort(size: Int = 100, steps: Int = .max) throws {
        try world.store.compactHistory(bytesMax: 1 << 16, step: size, transactions: steps, at: Make.now)
    }

    /// Returns a page of values, the next page's position, and the number of records read.
    private func page(
        _ place: HistoryPlace,
        to: Int64 = 1_000_000,
        limit: Int = .max
    ) throws -> (values: [Int64], next: HistoryPlace, visited: Int) {
        var values: [Int64] = []
        var next = place
        let visited = try world.store.read { tx in
            try tx.history.scan(Make.did, from: place, to: Make.at(to)) { record, behind in
                values.append(record.data?["level"]?.intValue ?? -1)
                next = behind
                return values.count < limit
            }
        }
        return (values, next, visited)
    }

    @Test(
        "Pages show each record once and in one order, while records arrive and are sorted",
        arguments: 0..<30
    )
    func paging(_ seed: Int) throws {
        var random = Seed(seed)
        var known: [(ts: Int64, value: Int64)] = []
        var last: Int64 = 0
        func arrive(after second: Int64) throws {
            let records = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                last += 1
                let ts = Int64.random(in: second...(second + 9000), using: &random) / 40 * 40
                known.append((ts, last))
                return record(ts, last)
            }
            try append(records + [record(5, 77, of: other)])
        }
        for _ in 0..<10 {
            try arrive(after: 0)
            if Bool.random(using: &random) { try sort(size: 1, steps: 2) }
        }
        var place = HistoryPlace(Make.at(0))
        var seen: [Int64] = []
        while true {
            let page = try page(place, limit: Int.random(in: 1...9, using: &random))
            if page.values.isEmpty { break }
            seen += page.values
            place = page.next
            // While the pages are read, records arrive that belong on later pages. Some of these records have the
            // timestamp of the last record read.
            if seen.count < 300 {
                let behind = (place.ts.milliseconds - Make.now.milliseconds) / 1000
                try arrive(after: behind)
            }
            if Bool.random(using: &random) {
                try sort(size: 1, steps: Int.random(in: 1...3, using: &random))
            }
        }
        let expected = known.indices.sorted { (known[$0].ts, $0) < (known[$1].ts, $1) }
            .map { known[$0].value }
        #expect(seen == expected)
    }

    @Test("The limits of a period are exact to the millisecond")
    func bounds() throws {
        try append((0..<10).map { record(Int64($0), Int64($0)) })
        for isSorted in [false, true] {
            if isSorted { try sort() }
            #expect(try page(HistoryPlace(Make.at(3)), to: 7).values == [3, 4, 5, 6])
            #expect(try page(HistoryPlace(Make.at(9)), to: 10).values == [9])
            #expect(try page(HistoryPlace(Make.at(10))).values.isEmpty)
            #expect(try page(HistoryPlace(Make.at(3), skip: 1), to: 5).values == [4])
        }
    }

    @Test("A page of one day examines as many records among a million as among a thousand") func effort() throws {
        func fill(_ days: ClosedRange<Int64>) throws {
            for day in days {
                try append((0..<1440).map { record(day * 86_400 + Int64($0) * 60, Int64($0)) })
                try sort()
            }
        }
        func effort() throws -> Int {
            let page = try page(HistoryPlace(Make.at(20 * 86_400)), to: 21 * 86_400, limit: 100)
            #expect(page.values == (0..<100).map { Int64($0) })
            return page.visited
        }
        try fill(20...20)
        let few = try effort()
        try fill(0...19)
        try fill(21...60)
        #expect(try effort() <= few + 120)
        #expect(few <= 400)
    }
}
