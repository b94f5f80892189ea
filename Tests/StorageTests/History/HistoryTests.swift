import Domain
import JSON
import TestKit
import Testing

@testable import Storage

@Suite("The history in its buffer and in the devices' chunks")
struct HistoryTests {
    private func did(_ number: Int) -> DeviceID { DeviceID(trusted: "d-\(1000 + number)") }

    private func record(_ device: Int, _ second: Int64, _ value: Int64) -> HistoryRecord {
        HistoryRecord(did: did(device), ts: Make.at(second), data: ["level": .integer(value)])
    }

    private func world(devices: Int) throws -> World {
        let world = try World()
        try world.fill()
        try world.store.arrange(at: Make.now) { (tx) throws in
            for device in 0..<devices {
                let mac = MAC(trusted: String(112_233_445_500 + device))
                try tx.devices.create(did(device), product: Make.key, mac: mac)
            }
        }
        return world
    }

    /// Compacts buffered records in at most `steps` transactions of at most `size` chunks each.
    private func sort(_ world: World, size: Int = 100, steps: Int = .max) throws {
        try world.store.compactHistory(bytesMax: 1 << 20, step: size, transactions: steps, at: Make.now)
    }

    private func all(_ world: World, _ device: Int) throws -> [HistoryRecord] {
        var records: [HistoryRecord] = []
        try world.store.read { tx in
            let start = HistoryPlace(Instant(milliseconds: -Instant.max.milliseconds))
            _ = try tx.history.scan(did(device), from: start, to: .max) { record, _ in
                records.append(record)
                return true
            }
        }
        return records
    }

    @Test("Of two processes that sort the same part of the buffer, the late one does nothing") func twice() throws {
        let world = try world(devices: 3)
        try world.store.arrange(at: Make.now) { tx in try tx.history.append((0..<3).map { record($0, 1, 1) }) }
        func begin() throws -> Compaction {
            var round = try #require(
                try world.store.beginCompaction(of: world.store.slot, bytesMax: 1 << 20, step: 100)
            )
            while round.sort() {}
            return round
        }
        var (first, second) = (try begin(), try begin())

        while try first.move(in: world.store, at: Make.now) {}

        #expect(throws: RoundTaken.self) { _ = try second.move(in: world.store, at: Make.now) }
        for device in 0..<3 { #expect(try all(world, device).count == 1) }
    }

    @Test("Each record is returned once, in order of time, however far the compactor has progressed")

    func sorting() throws {
        var random = Seed(5)
        let world = try world(devices: 7)
        var wanted: [[HistoryRecord]] = Array(repeating: [], count: 7)
        for batch in 0..<40 {
            let records = (0..<Int.random(in: 1...30, using: &random)).map { number in
                record(
                    Int.random(in: 0..<7, using: &random),
                    Int64.random(in: 0...20_000, using: &random) / 3,
                    Int64(batch * 100 + number)
                )
            }
            for (device, _) in wanted.enumerated() { wanted[device] += records.filter { $0.did == did(device) } }
            try world.store.arrange(at: Make.now) { try $0.history.append(records) }
            if batch % 3 == 0 {
                // In some rounds, compaction stops half-way, as if the process had crashed.
                try sort(world, size: 2, steps: Int.random(in: 1...5, using: &random))
            }
            for device in 0..<7 {
                let kept = try all(world, device)
                #expect(kept.map(\.ts) == kept.map(\.ts).sorted())
                #expect(Set(kept.compactMap(\.json)) == Set(wanted[device].compactMap(\.json)))
                #expect(kept.count == wanted[device].count)
                let count = try world.store.read { try $0.history.count(did(device)) }
                #expect(count == Int64(wanted[device].count))
            }
        }
    }

    @Test("Records with the same time stay in order of arrival")
    func stability() throws {
        let world = try world(devices: 1)
        for value in 0..<6 {
            try world.store.arrange(at: Make.now) { try $0.history.append([record(0, 5, Int64(value))]) }
            if value == 2 { try sort(world) }
        }
        #expect(try all(world, 0).map { $0.data?["level"]?.intValue } == [0, 1, 2, 3, 4, 5])
        try sort(world)
        #expect(try all(world, 0).map { $0.data?["level"]?.intValue } == [0, 1, 2, 3, 4, 5])
    }

    @Test("A device's raw bytes and values of all kinds are read from both parts") func shapes() throws {
        let world = try world(devices: 1)
        let records = [
            HistoryRecord(did: did(0), ts: Make.at(1), data: nil, binary: "aGVsbG8="),
            HistoryRecord(did: did(0), ts: Make.at(2), data: ["a": "[,]\n\"é"], binary: "AA=="),
            HistoryRecord(did: did(0), ts: Make.at(3), data: [:]),
            HistoryRecord(did: did(0), ts: Instant(milliseconds: -7), data: ["b": [1, ["c": 2.5]]]),
        ]
        try world.store.arrange(at: Make.now) { try $0.history.append(records) }
        let expected = [records[3]] + records.prefix(3)
        #expect(try all(world, 0) == expected)
        try sort(world)
        #expect(try all(world, 0) == expected)
    }

    @Test("A moment is found in the buffer or in the chunk that includes it, and nowhere else") func find() throws {
        let world = try world(devices: 2)
        let records = (0..<100).map { record(0, Int64($0) * 60, Int64($0)) }
        try world.store.arrange(at: Make.now) { try $0.history.append(records) }
        for isSorted in [false, true] {
            if isSorted { try sort(world) }
            for minute in [0, 1, 59, 60, 61, 99] as [Int64] {
                var found: [HistoryRecord] = []
                try world.store.read { (tx) throws in
                    try tx.history.find([(did(1), Make.at(0)), (did(0), Make.at(minute * 60))]) {
                        #expect($0 == 1)
                        found.append($1)
                    }
                }
                #expect(found == [records[Int(minute)]])
            }
        }
    }

    @Test("Chunks span at most an hour, and are deleted once all their records have expired")
    func pruning() throws {
        let world = try world(devices: 1)
        let records = (0..<180).map { record(0, Int64($0) * 60, Int64($0)) }
        try world.store.arrange(at: Make.now) { try $0.history.append(records) }
        try sort(world)
        let horizon = Make.at(3600 + 60)
        try world.store.arrange(at: Make.now) { (tx) throws in
            #expect(try tx.history.isOlder(than: horizon, did(0)))
            #expect(try tx.history.prune(before: horizon, of: did(0), limit: 10) == 1)
            #expect(try !tx.history.isOlder(than: horizon, did(0)))
        }
        #expect(try all(world, 0) == Array(records[60...]))
    }

    @Test("Lines of a forgotten device leave the buffer in the next round")
    func forgotten() throws {
        let world = try world(devices: 2)
        try world.store.arrange(at: Make.now) { try $0.history.append([record(0, 1, 1), record(1, 1, 2)]) }
        try world.store.arrange(at: Make.now) { try $0.devices.forget(did(0)) }
        try sort(world)
        #expect(try all(world, 0).isEmpty)
        #expect(try all(world, 1).count == 1)
        #expect(try world.store.read { try $0.history.buffer.depth(of: .alone) }.since == nil)
    }

    @Test("The buffer reports how much is waiting and since when")
    func depth() throws {
        let world = try world(devices: 1)
        #expect(try world.store.read { try $0.history.buffer.depth(of: .alone) }.bytes == 0)
        try world.store.arrange(at: Make.now) { try $0.history.append([record(0, 1, 1)]) }
        try world.store.arrange(at: Make.at(5)) { try $0.history.append([record(0, 2, 2)]) }
        let depth = try world.store.read { try $0.history.buffer.depth(of: .alone) }
        #expect(depth.bytes > 40 && depth.since == Make.now)
    }
}

@Suite("The writer's cache")
struct WriterCacheTests {
    private func version(_ world: World) throws -> Int64? {
        try world.store.arrange(at: Make.now) { try $0.statuses.find(Make.did)?.status.version }
    }

    private func raise(_ world: World) throws {
        try world.store.arrange(at: Make.now) { (tx) throws in
            guard var record = try tx.statuses.find(Make.did) else { return }
            record.status.version += 1
            try tx.statuses.save(reported: [record])
        }
    }

    @Test("The next batch sees another connection's writes")
    func otherWriter() throws {
        let directory = try TemporaryDirectory()
        let first = try World(directory)
        try first.fill()
        let second = try World(directory)
        for expected in 1...6 as ClosedRange<Int64> {
            try raise(expected % 2 == 0 ? first : second)
            #expect(try version(first) == expected)
            #expect(try version(second) == expected)
        }
    }

    @Test("The writes of a failed batch, or of a failed part, are discarded") func failures() throws {
        struct Failure: Error {}
        let world = try World()
        try world.fill()
        try raise(world)
        #expect(throws: Failure.self) {
            try world.store.arrange(at: Make.now) { (tx) throws in
                try tx.statuses.wipe(Make.did, at: tx.now)
                throw Failure()
            }
        }
        #expect(try version(world) == 1)
        try world.store.arrange(at: Make.now) { (tx) throws in
            #expect(throws: Failure.self) {
                try tx.isolated {
                    try tx.statuses.wipe(Make.did, at: tx.now)
                    throw Failure()
                }
            }
            #expect(try tx.statuses.find(Make.did)?.status.version == 1)
        }
        try world.store.arrange(at: Make.now) { try $0.devices.forget(Make.did) }
        #expect(try version(world) == nil)
    }

    @Test("The catalog is read again after another connection's change or a failed batch") func catalog() throws {
        struct Failure: Error {}
        let directory = try TemporaryDirectory()
        let first = try World(directory)
        let second = try World(directory)
        func epoch(_ world: World) throws -> Int64 {
            try world.store.arrange(at: Make.now) { try $0.meta.catalogEpoch() }
        }
        let begun = try epoch(first)
        for (place, world) in [second, first, first, second].enumerated() {
            try world.store.arrange(at: Make.now) { try $0.meta.raiseCatalogEpoch() }
            #expect(try epoch(first) == begun + Int64(place) + 1)
            #expect(try epoch(second) == begun + Int64(place) + 1)
        }
        #expect(throws: Failure.self) {
            try first.store.arrange(at: Make.now) { (tx) throws in
                try tx.meta.raiseCatalogEpoch()
                throw Failure()
            }
        }
        #expect(try epoch(first) == begun + 4)
        try first.store.arrange(at: Make.now) { (tx) throws in
            #expect(throws: Failure.self) {
                try tx.isolated {
                    try tx.meta.raiseCatalogEpoch()
                    throw Failure()
                }
            }
            #expect(try tx.meta.catalogEpoch() == begun + 4)
        }
    }

    @Test("Devices beyond the cache's size are read correctly")
    func overflow() throws {
        let cache = WriterCache()
        let dids = (0..<20_000).map { DeviceID(trusted: "d-\($0)") }
        for did in dids { cache.put([StatusRecord(did: did, productKey: Make.key, status: Status(ts: Make.now))]) }
        var known: [Int] = []
        let missing = cache.find(dids) { place, record in
            #expect(record.did == dids[place])
            known.append(place)
        }
        #expect(Set(known).union(missing).count == dids.count)
        #expect(known.count + missing.count == dids.count)
        #expect((8192...16_384).contains(known.count))
    }
}
