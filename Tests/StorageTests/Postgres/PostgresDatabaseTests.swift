import Dispatch
import Domain
import PostgreSQL
import Sodium
import StoreTestKit
import Synchronization
import TestKit
import Testing

@testable import Storage

@Suite("A store on PostgreSQL", .enabled(if: PostgresServer.isInstalled)) struct PostgresDatabaseTests {
    private let key = ServerKey([UInt8](repeating: 7, count: 32))

    private func store(
        _ address: String,
        migrates: Bool = true,
        steps: [Migrations.Step] = Migrations.steps,
        isOneWriter: Bool = false
    ) throws -> Store {
        let key = try #require(key)
        let engine = StoreEngine.postgres(
            try PostgresDatabase(address: PostgresAddress(address), key: key, isOneWriter: isOneWriter)
        )
        try engine.prepare(migrates: migrates, steps: steps) {}
        return Store(engine, credentialsPath: nil, key: key)
    }

    /// Returns the name by which errors identify a database.
    private func place(_ address: String) throws -> String { try PostgresAddress(address).place }

    /// Creates a PostgreSQL database without tables, and returns its address.
    private func empty(_ options: String = "") throws -> String {
        let server = try #require(PostgresServer.shared)
        let name = server.newName()
        try TestStore.connection().execute("CREATE DATABASE \(name) \(options)")
        return server.address(name)
    }

    @Test("A newer version's step runs once; the previous version can run beside it, and older versions can't")
    func migrations() throws {
        let address = try empty()
        let next: Migrations.Step = (
            "next", "CREATE TABLE later (name TEXT NOT NULL PRIMARY KEY, size INTEGER NOT NULL) STRICT;"
        )
        _ = try store(address)
        for _ in 0..<2 { _ = try store(address, steps: Migrations.steps + [next]) }

        _ = try store(address)
        try TestStore.connection(address).execute(
            "UPDATE meta SET value = '\(Migrations.steps.count + 1)' WHERE name = 'minimumVersion'"
        )
        #expect(throws: Store.Failure.newerVersion(path: try place(address))) {
            try store(address)
        }
    }

    @Test("A tool doesn't migrate a database")
    func tool() throws {
        let address = try empty()
        #expect(throws: Store.Failure.olderVersion(path: try place(address))) { try store(address, migrates: false) }
        _ = try store(address)
        _ = try store(address, migrates: false)
    }

    @Test("A failed step leaves no trace of itself or of the steps before it")
    func failingStep() throws {
        let address = try empty()
        #expect(throws: Store.Failure.self) {
            try store(address, steps: Migrations.steps + [("bad", "CREATE TABLE (")])
        }
        #expect(throws: Store.Failure.olderVersion(path: try place(address))) { try store(address, migrates: false) }
    }

    @Test("A database with another collation is refused")
    func collation() throws {
        let address = try empty("TEMPLATE template0 LC_COLLATE 'C.UTF-8' LC_CTYPE 'C.UTF-8'")
        #expect(
            throws: Store.Failure.wrongSetting(
                name: "lc_collate",
                value: "C.UTF-8",
                wanted: "C or POSIX"
            )
        ) {
            try store(address)
        }
    }

    @Test("An unreachable database is reported as such")
    func unreachable() throws {
        let error = #expect(throws: Store.Failure.self) {
            try store("postgres:///x?host=/nonexistent")
        }
        #expect(error?.description.contains("/nonexistent") == true)
    }

    @Test("With one writer at a time, transactions of several processes run one after another")

    func processes() throws {
        let address = try TestStore.makeDatabase()
        let stores = [
            try store(address, isOneWriter: true), try store(address, isOneWriter: true),
        ]
        let failures = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 4) { part in
            for _ in 0..<25 {
                do {
                    try stores[part % 2].batch(at: Make.now) { tx in
                        let before = try tx.meta.value("count").flatMap { Int($0) } ?? 0
                        try tx.meta.set("count", to: "\(before + 1)")
                    }
                } catch {
                    failures.withLock { $0 += 1 }
                }
            }
        }

        #expect(failures.withLock(\.self) == 0)
        #expect(try stores[0].read { try $0.meta.value("count") } == "100")
    }

    private func cut(_ address: String) throws {
        try TestStore.connection(address).execute(
            """
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """
        )
    }

    @Test("A batch on a lost connection counts as a fault of the store, and the next batch gets another connection")
    func lostConnection() throws {
        let address = try TestStore.makeDatabase()
        let store = try store(address)
        try cut(address)

        let error = #expect(throws: PostgresError.self) {
            try store.arrange(at: Make.now) { tx in
                try tx.meta.set("fact", to: "lost")
                _ = try tx.meta.value("fact")
            }
        }
        try store.arrange(at: Make.now) { try $0.meta.set("other", to: "told") }

        #expect(error.map(StoreError.isStoresFault) == true)
        #expect(
            try store.read { tx in try ["fact", "other"].map { try tx.meta.value($0) } }
                == [nil, "told"]
        )
    }

    @Test("A batch whose commit got no answer is run again on another connection") func lostCommit() throws {
        let address = try TestStore.makeDatabase()
        let store = try store(address)
        // The store takes a node slot. Without a slot, each transaction first reads the last sequence number, and would
        // thus notice the lost connection before the commit.
        store.take(try #require(NodeSlot.shared.first))
        try cut(address)

        try store.arrange(at: Make.now) { try $0.meta.set("fact", to: "told") }

        #expect(store.rerunCount == 1)
        #expect(try store.read { try $0.meta.value("fact") } == "told")
    }

    @Test("A commit's mark is deleted by the next commit")
    func marks() throws {
        let store = try store(try TestStore.makeDatabase())
        struct Refused: Error {}
        func marks() throws -> Int64? { try store.read { try $0.sql.integer("SELECT count(*) FROM notice") } }
        for number in 1...3 {
            try store.batch(at: Make.now, once: true) { tx in try tx.meta.set("fact", to: "\(number)") }
            #expect(try marks() == 1)
            #expect(throws: Refused.self) { try store.batch(at: Make.now, once: true) { _ in throw Refused() } }
        }
        try store.batch(at: Make.now) { try $0.meta.set("fact", to: "4") }
        #expect(try marks() == 1)
    }

    @Test("Data left by erased accounts is rewritten once")
    func vacuum() throws {
        let store = try store(try TestStore.makeDatabase())
        try store.arrange(at: Make.now) { try $0.meta.set("vacuumErased", to: "1") }
        #expect(try store.vacuumErased())
        #expect(try store.read { try $0.meta.pendingVacuum() } == nil)
        #expect(try store.fileSize().bytes > 1_000_000)
    }
}
