import Domain
import JSON
import StoreTestKit
import TestKit
import Testing

@testable import Storage

@Suite("The history of a process that has ended", .onlyInDatabase)
struct HistoryTakeoverTests {
    private let directory: TemporaryDirectory
    private let owner: World
    private let other: World
    private let slot: NodeSlot

    /// Opens one database twice, as two processes would, and creates two devices.
    init() throws {
        directory = try TemporaryDirectory()
        owner = try World(directory)
        other = try World(directory)
        try owner.fill()
        let slots = Array(NodeSlot.shared.prefix(2))
        slot = slots[0]
        owner.store.take(slots[0])
        other.store.take(slots[1])
        try owner.store.arrange(at: Make.now) { tx in
            for number in 0..<2 {
                try tx.devices.create(
                    DeviceID(trusted: "d-\(1000 + number)"),
                    product: Make.key,
                    mac: MAC(trusted: String(112_233_445_500 + number))
                )
            }
        }
    }

    /// Commits a record with the timestamp `second` for each device, by default in the first process.
    private func append(_ second: Int64, in world: World? = nil) throws {
        try (world ?? owner).store.arrange(at: Make.at(second)) { tx in
            try tx.history.append(
                (0..<2).map { number in
                    HistoryRecord(
                        did: DeviceID(trusted: "d-\(1000 + number)"),
                        ts: Make.at(second),
                        data: ["level": .integer(second)]
                    )
                }
            )
        }
    }

    /// Begins to compact the first process's records, and writes one device's chunks per transaction.
    private func begin(in world: World) throws -> Compaction {
        var round = try #require(try world.store.beginCompaction(of: slot, bytesMax: 1 << 20, step: 1))
        while round.sort() {}
        return round
    }

    private func finish(_ round: inout Compaction, in world: World) throws {
        while try round.move(in: world.store, at: Make.now) {}
    }

    /// Returns the timestamps of a device's records in seconds, in the order in which readers see them.
    private func seconds(_ number: Int = 0) throws -> [Int64?] {
        var found: [Int64?] = []
        try owner.store.read { tx in
            let start = HistoryPlace(Instant(milliseconds: 0))
            let did = DeviceID(trusted: "d-\(1000 + number)")
            _ = try tx.history.scan(did, from: start, to: .max) { record, _ in
                found.append(record.data?["level"]?.intValue)
                return true
            }
        }
        return found
    }

    @Test("A round completed by another process is not repeated after its owner began a longer one")

    func longerRound() throws {
        try append(1)
        var taken = try begin(in: other)
        try append(2)
        var own = try begin(in: owner)

        try finish(&taken, in: other)
        _ = try? finish(&own, in: owner)

        #expect(try seconds() == [1, 2])
        var rest = try begin(in: owner)
        try finish(&rest, in: owner)
        #expect(try seconds() == [1, 2] && seconds(1) == [1, 2])
    }

    @Test("A process that is late at a round's end doesn't change the next round's mark") func lateEnd() throws {
        try append(1)
        var own = try begin(in: owner)
        for _ in 0..<2 { _ = try own.move(in: owner.store, at: Make.now) }
        var taken = try begin(in: other)
        try finish(&taken, in: other)
        try append(2)
        var next = try begin(in: other)
        _ = try next.move(in: other.store, at: Make.now)

        _ = try? own.move(in: owner.store, at: Make.now)

        try finish(&next, in: other)
        #expect(try seconds() == [1, 2] && seconds(1) == [1, 2])
    }

    @Test("A round includes no row that arrived after its beginning, whatever its number")
    func earlierNumber() throws {
        try append(10)
        var taken = try begin(in: other)
        _ = try taken.move(in: other.store, at: Make.now)

        // Another process takes the slot, and its clock is a few seconds behind.
        let next = try World(directory)
        next.store.take(slot)
        try append(5, in: next)

        #expect(try seconds() == [5, 10] && seconds(1) == [5, 10])
        try finish(&taken, in: other)
        #expect(try seconds() == [5, 10] && seconds(1) == [5, 10])
        var rest = try begin(in: next)
        try finish(&rest, in: next)
        #expect(try seconds() == [5, 10] && seconds(1) == [5, 10])
    }

    @Test("A round begun by another process is started again, and no line is doubled") func begunTwice() throws {
        try append(1)
        var (first, second) = (try begin(in: owner), try begin(in: other))
        _ = try first.move(in: owner.store, at: Make.now)

        #expect(throws: RoundTaken.self) { _ = try second.move(in: other.store, at: Make.now) }

        var again = try begin(in: other)
        try finish(&again, in: other)
        #expect(throws: RoundTaken.self) { _ = try first.move(in: owner.store, at: Make.now) }
        #expect(try seconds() == [1] && seconds(1) == [1])
    }
}
