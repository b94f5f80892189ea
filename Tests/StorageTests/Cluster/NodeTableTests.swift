import Domain
import PostgreSQL
import Sodium
import StoreTestKit
import TestKit
import Testing

@testable import Storage

/// A PostgreSQL database that several processes share.
struct SharedDatabase {
    let address: String
    let key: ServerKey

    init() throws {
        address = try TestStore.makeDatabase()
        key = try #require(ServerKey([UInt8](repeating: 7, count: 32)))
    }

    /// Opens the database as another process would.
    func open() throws -> Store {
        let engine = StoreEngine.postgres(try PostgresDatabase(address: PostgresAddress(address), key: key))
        return Store(engine, credentialsPath: nil, key: key)
    }
}

@Suite("Slots of processes", .enabled(if: PostgresServer.isInstalled))
struct NodeTableTests {
    private func claim(
        _ id: String,
        in store: Store,
        for milliseconds: Int64 = 6_000,
        inPlaceOf earlier: String? = nil
    ) throws
        -> NodeSlot?
    {
        try store.coordinate {
            try $0.nodes.claim(id: id, name: id, version: "1", milliseconds: milliseconds, inPlaceOf: earlier)
        }
    }

    @Test(
        "Each of up to 63 processes gets its own slot, and a released slot is free again"
    )
    func claims() throws {
        let database = try SharedDatabase()
        let store = try database.open()
        let slots = try (1...63).map { try claim("n\($0)", in: store)?.number }
        #expect(slots == Array(1...63))
        #expect(try claim("late", in: store) == nil)

        try store.coordinate { try $0.nodes.release("n7") }
        #expect(try claim("late", in: store)?.number == 7)
    }

    @Test("A process that replaces another gets its slot, even if no other slot is free") func succession() throws {
        let store = try SharedDatabase().open()
        for number in 1...63 { _ = try claim("n\(number)", in: store) }
        #expect(try claim("new", in: store, inPlaceOf: "n9")?.number == 9)
        #expect(try !store.coordinate { try $0.nodes.renew("n9", milliseconds: 6_000) })
        #expect(try claim("late", in: store, inPlaceOf: "n9") == nil)
    }

    @Test("A process with regular heartbeats keeps its slot, and a process whose slot was reassigned is informed")
    func renewal() throws {
        let store = try SharedDatabase().open()
        _ = try claim("a", in: store)
        #expect(try store.coordinate { try $0.nodes.renew("a", milliseconds: 6_000) })
        let node = try #require(try store.coordinate { try $0.nodes.all() }.first)
        let now = try store.coordinate { try $0.nodes.now() }
        #expect((5_000...6_000).contains(node.untilAt.milliseconds - now.milliseconds))

        try store.coordinate { try $0.nodes.release("a") }
        #expect(try !store.coordinate { try $0.nodes.renew("a", milliseconds: 6_000) })
    }

    @Test("Once no slot is unused, the slot of a process that fell silent long ago is reassigned")

    func silent() throws {
        let store = try SharedDatabase().open()
        for number in 1...63 { _ = try claim("n\(number)", in: store, for: number == 5 ? -120_000 : 6_000) }
        #expect(try claim("late", in: store)?.number == 5)
        #expect(try !store.coordinate { try $0.nodes.renew("n5", milliseconds: 6_000) })
    }

    @Test("Processes with different slots never assign the same number, whatever their clocks show")

    func numbers() throws {
        let database = try SharedDatabase()
        let stores = try (0..<3).map { _ in try database.open() }
        for (index, store) in stores.enumerated() { store.take(try #require(try claim("n\(index)", in: store))) }
        var numbers: Set<Int64> = []
        for round in 0..<200 {
            for store in stores {
                numbers.insert(store.sequence.next(Make.at(Int64(round % 3))))
            }
        }
        #expect(numbers.count == 600)
        #expect(Set(numbers.map { $0 % 64 }) == [1, 2, 3])
    }
}
