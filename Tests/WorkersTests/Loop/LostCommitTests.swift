import Domain
import JSON
import PostgreSQL
import Storage
import StoreTestKit
import Synchronization
import Testing

@testable import Workers

@Suite("A commit without an answer", .enabled(if: TestStore.isPostgres))
struct LostCommitTests {
    @Test("Messages of the lost commit are published before those of the second run")
    func order() throws {
        let world = try World(devices: 1, users: 1, bound: 1)
        // The store takes a node slot. Without a slot, each transaction first reads the last sequence number, and would
        // thus notice the lost connection before the commit.
        world.store.take(try #require(NodeSlot.shared.first))
        let address = try TestStore.address(of: world.directory)
        let isArmed = Atomic(false)
        let older = OutboundMessage("ll/v1/device/\(World.did(0).text)/response", Array("{}".utf8))
        var loop = try world.loop(StatusHandler(world.environment)) { step in
            guard step == .beforeCommit, isArmed.exchange(false, ordering: .relaxed) else { return }
            // The database commits this transaction, but the connection is lost before the answer arrives.
            do {
                try world.store.batch(at: world.clock.now) { tx in
                    _ = try tx.outbox.add([older], by: "status", isSecret: false)
                }
                try TestStore.connection(address).execute(
                    """
                    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()
                    """
                )
            } catch {
                Issue.record(error)
            }
        }
        try world.settle(&loop)

        isArmed.store(true, ordering: .relaxed)
        world.sendReport(0, ["id": "r1", "data": ["level": 5]])
        _ = try loop.turn()

        let answers = world.broker.published.filter { $0.topic == older.topic }.map(\.payload)
        #expect(answers.count == 2 && answers.first == older.payload)
        #expect(world.store.rerunCount == 1)
    }
}
