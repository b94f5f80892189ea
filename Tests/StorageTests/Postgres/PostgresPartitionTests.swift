import Domain
import PostgreSQL
import StoreTestKit
import TestKit
import Testing

@testable import Storage

@Suite("The history's partitions", .enabled(if: PostgresServer.isInstalled)) struct PostgresPartitionTests {
    private let week: Int64 = 7 * 86_400_000

    private func store() throws -> (store: Store, address: String) {
        let address = try TestStore.makeDatabase()
        let store = try Store(
            database: PostgresAddress(address),
            password: nil,
            credentialsPath: nil,
            key: try #require(TestStore.key)
        )
        return (store, address)
    }

    private func chunk(_ from: Int64, _ sql: SQL) throws {
        try sql.run("INSERT INTO history (did, fromTs, seq, toTs, count, lines) VALUES ('d', $1, 1, $1, 1, '')", from)
    }

    /// Returns the name of the partition in which the chunk that begins at `from` is stored.
    private func place(_ from: Int64, _ store: Store) throws -> String? {
        try store.read { tx in
            try tx.sql.first("SELECT CAST(CAST(tableoid AS regclass) AS TEXT) FROM history WHERE fromTs = $1", from) {
                $0.next(String.self)
            }
        }
    }

    @Test("Weeks are created in advance, once; a chunk lies in its week's partition, or else in the default partition")
    func make() throws {
        let (store, _) = try store()
        let start = Instant(milliseconds: 1000 * week)
        #expect(try store.makeHistoryPartitions(at: start) == 3)
        #expect(try store.makeHistoryPartitions(at: start) == 0)
        try store.arrange(at: Make.now) { tx in
            try chunk(1000 * week, tx.sql)
            try chunk(1003 * week - 1, tx.sql)
            try chunk(5, tx.sql)
        }
        #expect(try place(1000 * week, store) == "history_w1000")
        #expect(try place(1003 * week - 1, store) == "history_w1002")
        #expect(try place(5, store) == "history_other")
    }

    @Test("A week with chunks in the default partition is skipped, and later weeks are created") func late() throws {
        let (store, _) = try store()
        try store.arrange(at: Make.now) { try chunk(1000 * week + 7, $0.sql) }
        let start = Instant(milliseconds: 1000 * week)
        #expect(try store.makeHistoryPartitions(at: start) == 2)
        #expect(try place(1000 * week + 7, store) == "history_other")
    }

    @Test("A week is dropped once all its chunks have expired, an hour after its own end")
    func drop() throws {
        let (store, _) = try store()
        let start = Instant(milliseconds: 1000 * week)
        _ = try store.makeHistoryPartitions(at: start)
        try store.arrange(at: Make.now) { try chunk(1001 * week - 1, $0.sql) }
        let end = Instant(milliseconds: 1001 * week + 3_600_000)
        #expect(try store.dropHistoryPartitions(before: end.adding(milliseconds: -1)) == 0)
        #expect(try place(1001 * week - 1, store) == "history_w1000")
        #expect(try store.dropHistoryPartitions(before: end) == 1)
        #expect(try place(1001 * week - 1, store) == nil)
    }
}
