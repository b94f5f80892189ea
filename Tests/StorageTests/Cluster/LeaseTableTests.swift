import Batching
import Domain
import PostgreSQL
import Synchronization
import TestKit
import Testing

@testable import Storage

@Suite("Leases of lanes", .enabled(if: PostgresServer.isInstalled))
struct LeaseTableTests {
    private let database: SharedDatabase
    private let store: Store

    init() throws {
        database = try SharedDatabase()
        store = try database.open()
        for node in ["a", "b"] { try join(node) }
        _ = try store.coordinate { try $0.leases.make("status", lanes: 4) }
    }

    private func join(_ node: String, for milliseconds: Int64 = 60_000) throws {
        _ = try store.coordinate { try $0.nodes.claim(id: node, name: node, version: "1", milliseconds: milliseconds) }
    }

    private func take(_ count: Int, for node: String) throws -> [Fence] {
        try store.coordinate { try $0.leases.take("status", limit: count, for: node) }
            .map { Fence(worker: "status", lane: $0.lane, epoch: $0.epoch) }
    }

    private var holders: [String?] {
        get throws { try store.coordinate { try $0.leases.all() }.map { $0.isHeld ? $0.node : nil } }
    }

    @Test("Lanes are created once, and counted")
    func made() throws {
        #expect(try store.coordinate { try $0.leases.make("status", lanes: 4) } == 4)
        #expect(try store.coordinate { try $0.leases.make("status", lanes: 2) } == 4)
    }

    @Test("A free lane is leased to one process, and a process gets as many lanes as it asks for")
    func taking() throws {
        #expect(try take(3, for: "a").map(\.lane) == [0, 1, 2])
        #expect(try take(3, for: "b").map(\.lane) == [3])
        #expect(try take(3, for: "b").isEmpty)
        #expect(try holders == ["a", "a", "a", "b"])
    }

    @Test(
        "The lanes of a process that has ended or released them are free, with a higher epoch"
    )
    func free() throws {
        let first = try take(2, for: "a")
        try store.coordinate { try $0.nodes.expire("a") }
        #expect(try holders == [nil, nil, nil, nil])
        let second = try take(1, for: "b")
        #expect(second[0].lane == first[0].lane && second[0].epoch > first[0].epoch)

        try store.coordinate { try $0.leases.release("status", lane: 0, epoch: second[0].epoch) }
        #expect(try take(1, for: "b").map(\.lane) == [0])
    }

    @Test("Releasing a lane that another process has leased meanwhile changes nothing")
    func lateRelease() throws {
        let old = try take(1, for: "a")[0]
        try store.coordinate { try $0.nodes.expire("a") }
        _ = try take(1, for: "b")
        try store.coordinate { try $0.leases.release("status", lane: 0, epoch: old.epoch) }
        #expect(try holders[0] == "b")
    }

    @Test("A batch on a lane that another process has leased changes nothing")
    func fence() throws {
        let lane = store.guarded(by: try take(1, for: "a")[0])
        try lane.arrange(at: Make.now) { try $0.meta.set("fact", to: "own") }
        try store.coordinate { try $0.nodes.expire("a") }
        _ = try take(1, for: "b")

        let error = #expect(throws: LaneLost.self) {
            try lane.arrange(at: Make.now) { try $0.meta.set("fact", to: "zombie") }
        }
        #expect(error.map(StoreError.isStoresFault) == true)
        // The write failed only because of the fence: a store without a fence can still write.
        try database.open().arrange(at: Make.now) { try $0.meta.set("unfenced", to: "written") }
        #expect(throws: LaneLost.self) { try lane.enter("status") }
        #expect(try store.read { try $0.meta.value("fact") } == "own")
    }

    @Test(
        "A lane isn't taken over during its holder's transaction, and the holder's heartbeat doesn't wait for that"
    )
    func withinTransaction() throws {
        let lane = store.guarded(by: try take(1, for: "a")[0])
        let other = try database.open()
        try lane.arrange(at: Make.now) { _ in
            #expect(try other.coordinate { try $0.nodes.renew("a", milliseconds: 1_000) })
            try other.coordinate { try $0.nodes.expire("a") }
            let taken = try other.coordinate { try $0.leases.take("status", limit: 4, for: "b") }
            #expect(taken.map(\.lane) == [1, 2, 3])
        }
        #expect(try take(4, for: "b").map(\.lane) == [0])
    }

    @Test(
        "A process taken for dead loses its database sessions and their locks, and a live process keeps them",
        .endsInTime
    )
    func sessions() throws {
        let silent = try database.open()
        let id = try #require(silent.processID)
        try join(id)
        let lane = silent.guarded(by: try take(1, for: id)[0])

        let error = #expect(throws: PostgresError.self) {
            try lane.arrange(at: Make.now) { tx in
                try store.coordinate { try $0.leases.endSessionsOfSilent() }
                _ = try tx.meta.value("fact")

                try store.coordinate { try $0.nodes.expire(id) }
                try store.coordinate { try $0.leases.endSessionsOfSilent() }
                // The server ends the sessions a while after `endSessionsOfSilent` has returned. So the test tries
                // again until the lane is free.
                var taken: [Int] = []
                while !taken.contains(0) { taken += try take(4, for: "b").map(\.lane) }
                _ = try tx.meta.value("fact")
            }
        }
        #expect(error.map(StoreError.isStoresFault) == true)
    }

    @Test(
        "A lane's messages are numbered after those of its previous holder, whatever the clocks show"
    )
    func numbers() throws {
        let first = try database.open()
        first.take(try #require(NodeSlot(1)))
        let left = try first.arrange(at: Make.at(3)) {
            try $0.outbox.add([Make.message()], by: "status.00", isSecret: false)
        }
        let second = try database.open().guarded(by: try take(1, for: "b")[0])
        second.take(try #require(NodeSlot(2)))
        try second.enter("status.00")
        let next = try second.arrange(at: Make.at(1)) {
            try $0.outbox.add([Make.message()], by: "status.00", isSecret: false)
        }
        #expect(next > left)
        #expect(try store.read { try $0.outbox.depths() } == ["status.00": 2])
        #expect(try store.read { try $0.outbox.lags() } == ["status.00": .init(rows: 2, since: Make.at(1))])
    }

    @Test("A worker is present as long as one of its lanes is leased")
    func workers() throws {
        _ = try store.coordinate { try $0.leases.make("control", lanes: 2) }
        #expect(try store.read { try $0.leases.heldWorkers() }.isEmpty)
        _ = try take(1, for: "a")
        #expect(try store.read { try $0.leases.heldWorkers() } == ["status"])
        try store.coordinate { try $0.nodes.expire("a") }
        #expect(try store.read { try $0.leases.heldWorkers() }.isEmpty)
    }

    @Test("Work for a lane's devices is found by the ends of their ids")
    func shards() throws {
        let dids = ["d-0000000000a07", "d-0000000000a0f", "d-0000000000a4f"].map {
            DeviceID(trusted: $0)
        }
        try store.arrange(at: Make.now) { tx in
            try tx.refreshes.add(dids.map { Refresh(did: $0, uid: Make.uid) })
            try tx.sql.run(DispatchRequest.table.insert, each: dids.map { DispatchRequest(did: $0, at: Make.now) })
        }
        let lane = Shards(lane: 15, of: 32)
        try store.arrange(at: Make.now) { tx in
            #expect(try tx.refreshes.next(limit: 9, of: lane).map(\.did) == Array(dids[1...]))
            #expect(try tx.refreshes.isWaiting(lane))
            #expect(try !tx.refreshes.isWaiting(Shards(lane: 1, of: 32)))
            let due = try tx.commands.dueDispatches(limit: 9, of: lane).map(\.did)
            #expect(due.sorted() == Array(dids[1...]))
            #expect(try tx.commands.nextDispatch(of: lane) == Make.now)
            #expect(try tx.commands.nextDispatch(of: Shards(lane: 1, of: 32)) == nil)
        }
    }
}
