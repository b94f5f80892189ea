import Domain
import Foundation
import JSON
import PostgreSQL
import Sodium
import StoreTestKit
import TestKit
import Testing

@testable import Storage

@Suite("Moving a store", .enabled(if: PostgresServer.isInstalled), .onlyOnFile) struct StoreMoveTests {
    private let key: ServerKey
    private let directory: TemporaryDirectory

    struct NoKey: Error {}

    init() throws {
        guard let key = ServerKey([UInt8](repeating: 7, count: 32)) else { throw NoKey() }
        self.key = key
        directory = try TemporaryDirectory()
    }

    /// Returns an SQLite store with rows in many tables.
    private func source() throws -> World {
        let world = try World()
        try world.fill()
        try world.store.arrange(at: Make.now) { (tx) throws in
            for number in 0..<30 {
                let did = DeviceID(trusted: "d-\(1000 + number)")
                let mac = MAC(trusted: String(112_233_445_500 + number))
                try tx.devices.create(did, product: Make.key, mac: mac)
                var labels = DeviceLabeling()
                labels.name = "Lamp \(number)"
                labels.set = ["floor": DeviceTag(trusted: "floor", "\(number % 3)")]
                _ = try tx.devices.label(did, labels)
                try tx.history.append([HistoryRecord(did: did, ts: Make.at(Int64(number)), data: ["level": 1])])
                _ = try tx.attempts.add("s\(number)", windowSeconds: 900)
            }
            _ = try tx.deadLetters.add(
                [("t/ä", [0, 1, 255], false, "r"), ("u", [], true, "")],
                worker: "status",
                keeping: 10
            )
            try tx.requests.save("t", MessageID(trusted: "q"), content: [1], answer: nil, isSecret: false)
        }
        try world.store.compactHistory(bytesMax: 1 << 20, step: 10, transactions: 1, at: Make.now)
        return world
    }

    private func database(_ address: String) throws -> Store {
        try Store(
            database: PostgresAddress(address),
            password: nil,
            credentialsPath: nil,
            key: key,
            isBeingFilled: true
        )
    }

    private func file(_ name: String) throws -> Store {
        try Store(
            path: directory.path(name),
            credentialsPath: nil,
            key: key,
            isBeingFilled: true
        )
    }

    /// Creates a PostgreSQL database without tables, and returns its address.
    private func newDatabase() throws -> String {
        let server = try #require(PostgresServer.shared)
        let name = server.newName()
        try TestStore.connection().execute("CREATE DATABASE \(name)")
        return server.address(name)
    }

    private func move(
        _ source: Store,
        _ target: Store,
        progress: (String, Double) throws -> Void = { _, _ in }
    ) throws -> [String: TableSum] {
        let tables = try StoreMove(from: source, to: target).run(at: Make.now, progress: progress)
        return Dictionary(uniqueKeysWithValues: tables.map { ($0.name, $0.sum) })
    }

    @Test("The tables known to a move are those of the file, with all columns") func catalog() throws {
        let world = try World(directory)
        let known = Dictionary(uniqueKeysWithValues: StoredTable.all().map { ($0.name, $0.columns.map(\.name)) })
        let actual = try world.store.read { tx in
            try tx.sql.query(
                """
                SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
                WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT LIKE 'grdb_%'
                ORDER BY t.name, c.cid
                """
            ) { ($0.next(String.self), $0.next(String.self)) }
        }

        #expect(Dictionary(grouping: actual, by: \.0).mapValues { $0.map(\.1) } == known)
        #expect(StoredTable.all().allSatisfy { !$0.key.isEmpty })
    }

    @Test("After a move to PostgreSQL and back all tables are equal, and numbers continue after existing ones")
    func thereAndBack() throws {
        let world = try source()
        let middle = try database(newDatabase())
        let end = try file("end.db")

        let there = try move(world.store, middle)
        let back = try move(middle, end)

        #expect(there == back)
        #expect(there["device"]?.rows == 31 && there["historyBuffer"]?.rows == 30)
        for store in [middle, end] {
            let ids = try store.arrange(at: Make.now) { tx in
                try tx.deadLetters.add([("t", [], false, "r")], worker: "status", keeping: 10)
            }
            #expect(ids == [3])
        }
    }

    @Test("History from weeks ago is in the partitions of those weeks")
    func pastWeeks() throws {
        let world = try source()
        let week: Int64 = 7 * 86_400_000
        try world.store.arrange(at: Make.now) { tx in
            for number in [1000, 1007] as [Int64] {
                try tx.sql.run(
                    """
                    INSERT INTO history (did, fromTs, seq, toTs, count, lines)
                    VALUES ('d-1000', $1, $1, $1, 1, x'')
                    """,
                    number * week + 5
                )
            }
        }
        let target = try database(newDatabase())

        _ = try move(world.store, target)

        let places = try target.read { tx in
            try tx.sql.query(
                """
                SELECT CAST(CAST(tableoid AS regclass) AS TEXT) FROM history
                WHERE seq < $1 ORDER BY fromTs
                """,
                1008 * week
            ) { $0.next(String.self) }
        }
        #expect(places == ["history_w1000", "history_w1007"])
    }

    @Test("A database that another process uses is not moved")
    func inUse() throws {
        let address = try newDatabase()
        let middle = try database(address)
        _ = try move(try source().store, middle)
        let end = try file("end.db")
        let other = try TestStore.connection(address)
        try other.execute("SET application_name = 'lamplighter p-other'")

        let failure = #expect(throws: StoreMove.Failure.self) { _ = try move(middle, end) }

        #expect(failure == .sourceInUse(node: "lamplighter p-other"))
    }

    @Test("An interrupted copy is continued, and can't be used before it is complete")
    func interrupted() throws {
        let world = try source()
        let address = try newDatabase()
        struct Enough: Error {}
        var steps = 0
        #expect(throws: Enough.self) {
            _ = try move(world.store, database(address)) { _, _ in
                steps += 1
                if steps == 4 { throw Enough() }
            }
        }
        #expect(throws: Store.Failure.self) {
            _ = try Store(database: PostgresAddress(address), password: nil, credentialsPath: nil, key: key)
        }

        let sums = try move(world.store, database(address))

        #expect(sums["device"]?.rows == 31)
        _ = try Store(database: PostgresAddress(address), password: nil, credentialsPath: nil, key: key)
    }

    @Test("A row changed during the copy is detected")
    func unequal() throws {
        let world = try source()
        let middle = try database(newDatabase())
        #expect(throws: StoreMove.Failure.self) {
            _ = try move(world.store, middle) { what, part in
                guard what == "comparing", part < 0.1 else { return }
                try middle.arrange(at: Make.now) { tx in
                    try tx.sql.run("UPDATE attempt SET count = 2 WHERE subject = 's1'")
                }
            }
        }
        #expect(try middle.isHalfMoved)
    }

    @Test("A target with rows, a source with unpublished messages, and a text with NUL are refused")

    func refusals() throws {
        let world = try source()
        let used = try database(newDatabase())
        try used.arrange(at: Make.now) { _ = try $0.attempts.add("s", windowSeconds: 900) }
        #expect(throws: StoreMove.Failure.targetInUse(table: "attempt")) { _ = try move(world.store, used) }
        let empty = try database(newDatabase())
        try world.store.arrange(at: Make.now) { tx in
            try tx.sql.run("UPDATE app SET name = name")
            try tx.sql.run(
                "UPDATE device SET hardware = $1 WHERE did = 'd-1007'",
                "a\0b"
            )
        }
        let place = StoreMove.Failure.text(
            row: "device did=d-1007",
            column: "hardware",
            reason: "it contains a NUL character"
        )
        #expect(throws: place) { _ = try move(world.store, empty) }
        try world.store.arrange(at: Make.now) { tx in
            _ = try tx.outbox.add([Make.message()], by: "status", isSecret: false)
        }
        #expect(throws: StoreMove.Failure.outboxNotEmpty(rows: 1, topics: ["1 for t"])) {
            _ = try move(world.store, empty)
        }
    }
}
