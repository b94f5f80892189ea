import Domain
import Foundation
import JSON
import Storage
import StoreTestKit
import TestKit
import Testing

@testable import Administration

@Suite("Chart reading")
struct ChartReadingTests {
    private static let did = DeviceID(trusted: "d-0000000000001")
    /// The milliseconds from 1970 to a time two days before the clocks change in Berlin.
    private static let start: Int64 = 1_774_569_600_000
    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        store = try TestStore.open(directory)
        let key = ProductKey(trusted: String(repeating: "a", count: 32))
        try arrange { tx in
            try tx.products.save(Product(key: key, name: "Lamp"), secret: "s")
            try tx.devices.create(Self.did, product: key, mac: MAC(trusted: "0123456789ab"))
        }
    }

    private func arrange(_ body: (Transaction) throws -> Void) throws {
        try store.batch(at: Instant(milliseconds: Self.start)) { tx in
            try tx.lockAll()
            try body(tx)
        }
    }

    private func append(_ records: [HistoryRecord], sorted: Bool) throws {
        let now = Instant(milliseconds: Self.start)
        try arrange { try $0.history.append(records) }
        if sorted { try store.compactHistory(bytesMax: .max, step: 100, at: now) }
    }

    /// Stores values of four days; the last values arrive when the sums of three days are already stored.
    private func fill(_ seed: Int) throws {
        var random = Seed(seed)
        let day = HistoryDay.number(of: Self.start)
        let records = (0..<6000).map { number in
            HistoryRecord(
                did: Self.did,
                ts: Instant(
                    milliseconds: Self.start
                        + Int64.random(in: 0..<4 * HistoryDay.length, using: &random) / 60_000
                        * 60_000
                ),
                data: number % 7 == 0
                    ? ["other": true] : ["level": .integer(Int64.random(in: -50...50, using: &random))]
            )
        }
        try append(Array(records[..<5000]), sorted: true)
        for number in day...day + 2 {
            try arrange { try $0.history.days.begin(number) }
            let draft = try store.read { try $0.history.days.sumUp(Self.did, day: number) }
            try arrange { _ = try $0.history.days.save(draft) }
        }
        // The sums of the second day become stale when late values of that day are compacted. The last 500 of all
        // values aren't compacted, so they stay in the buffer.
        let second = HistoryDay.time(of: day + 1)
        try append(records[5000..<5500].filter { second.contains($0.ts.milliseconds) }, sorted: true)
        try append(Array(records[5500...]), sorted: false)
        let days = try store.read { try $0.history.days.sums(of: "level", Self.did, days: day...day + 3) }
        #expect(days.map(\.day) == [day, day + 2])
    }

    @Test(
        "A chart made from daily sums equals a chart made from records",
        arguments: ["UTC", "Europe/Berlin", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe"],
        ["15m", "1h", "6h", "1d", "1w"]
    )
    func exact(_ zone: String, _ step: String) throws {
        try fill(zone.count + step.count)
        let (step, zone) = (try #require(TimeStep(step)), try #require(TimeZone(identifier: zone)))
        for (from, to): (Int64, Int64) in [(0, 4 * HistoryDay.length), (1_234_567, 3 * HistoryDay.length - 98_765)] {
            let (from, to) = (Instant(milliseconds: Self.start + from), Instant(milliseconds: Self.start + to))
            var wanted = ChartSums(step: step, zone: zone, rowsMax: 2000)
            try store.read { tx in
                _ = try tx.history.scan(Self.did, from: HistoryPlace(from), to: to) { record, _ in
                    wanted.add(record.data?["level"], at: record.ts.milliseconds)
                }
            }
            var found = ChartSums(step: step, zone: zone, rowsMax: 2000)
            let reading = ChartReading(store: store, did: Self.did, name: "level", from: from, to: to)

            #expect(try !reading.read(into: &found))

            let rows = wanted.finish().rows
            #expect(rows.count > 0)
            #expect(found.finish().rows == rows)
        }
    }
}
