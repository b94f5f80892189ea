import Credentials
import Domain
import Foundation
import GRDB
import JSON
import Sodium
import TestKit
import Testing
import Wire

@testable import Storage

@Suite("The one file that holds everything")
struct StoreTests {
    @Test("Durability's settings are on and read back")
    func settings() throws {
        let world = try World()
        let settings = Dictionary(
            uniqueKeysWithValues: try world.store.settings().map { ($0.name, $0.value) }
        )
        #expect(settings["journal_mode"] == "wal")
        #expect(settings["synchronous"] == "2")
        #expect(settings["foreign_keys"] == "1")
    }

    @Test("The pages that commits leave in the log are counted, for whoever copies them")
    func pagesWritten() throws {
        let world = try World()
        // With the first come those of the migrations.
        try world.store.batch(at: Make.now) { try $0.meta.set("fact", to: "begun") }
        let before = world.store.pagesWritten
        try world.store.batch(at: Make.now) { try $0.meta.set("fact", to: "told") }
        let after = world.store.pagesWritten
        #expect((1...10).contains(after - before))
        try world.store.batch(at: Make.now) { _ = try $0.meta.value("fact") }
        #expect(world.store.pagesWritten == after)
        #expect(throws: CancellationError.self) {
            try world.store.batch(at: Make.now) { (tx) throws in
                try tx.meta.set("fact", to: "lost")
                throw CancellationError()
            }
        }
        #expect(world.store.pagesWritten == after)
        #expect(try world.store.read { try $0.meta.value("fact") } == "told")
    }

    @Test("Foreign keys are enforced")
    func foreignKeys() throws {
        let world = try World()
        #expect(throws: DatabaseError.self) {
            try world.store.batch(at: Make.now) { (tx) throws in
                try tx.devices.create(
                    Make.did,
                    product: Make.key,
                    mac: MAC(trusted: "0123456789ab")
                )
            }
        }
    }

    @Test("A file that can't have a log of its own is refused")
    func noLog() throws {
        let key = try #require(ServerKey([UInt8](repeating: 7, count: 32)))
        #expect(throws: Store.Failure.self) {
            _ = try Store(path: ":memory:", credentialsPath: nil, key: key)
        }
    }

    @Test("A file that is no database is refused")
    func noDatabase() throws {
        let directory = try TemporaryDirectory()
        try directory.write(String(repeating: "this is no database ", count: 100), to: "test.db")
        #expect(throws: Store.Failure.self) { try World(directory) }
    }

    @Test("A database of a newer version is refused")
    func newer() throws {
        let directory = try TemporaryDirectory()
        do { _ = try World(directory) }
        try DatabaseQueue(path: directory.path("test.db")).write { database in
            try database.execute(sql: "INSERT INTO grdb_migrations VALUES ('999-later')")
        }
        #expect(throws: Store.Failure.newerVersion(path: directory.path("test.db"))) {
            try World(directory)
        }
    }

    @Test("A tool does not migrate")
    func tool() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: Store.Failure.olderVersion(path: directory.path("test.db"))) {
            try World(directory, migrates: false)
        }
        do { _ = try World(directory) }
        _ = try World(directory, migrates: false)
    }

    @Test(
        "Two processes that write in the same millisecond give different numbers, the later larger ones"
    )
    func stamps() throws {
        let world = try World()
        let other = try World(world.directory)
        var ids: [Int64] = []
        for store in [world.store, other.store, other.store, world.store, other.store] {
            let id = try store.batch(at: Make.now) {
                try $0.outbox.add([Make.message()], by: "control", isSecret: false)
            }
            ids.append(id)
        }
        #expect(ids == Set(ids).sorted())
    }

    @Test("Commands and requests of a database from before they lay in order are all there")
    func inOrder() throws {
        let directory = try TemporaryDirectory()
        let old = try DatabaseQueue(path: directory.path("test.db"))
        try Migrations.migrator().migrate(old, upTo: "011-sent-again")
        try old.write { database in
            for (did, cid, state) in [("b", 1, "done"), ("a", 1, "queued"), ("a", 2, "sent")] {
                try database.execute(
                    sql: """
                        INSERT INTO command (did, cid, sn, kind, state, data, actor, createdAt,
                            expiresAt, late, mode, steps)
                        VALUES (?, ?, 7, 'write', ?, '{"level":1}', '{"kind":"user","id":"u"}',
                            1000, 5000, 0, 'queue', '[["queued",1000,"asker"]]')
                        """,
                    arguments: [did, cid, state]
                )
            }
            try database.execute(
                sql: "INSERT INTO request VALUES ('t', 'r', x'01', x'02', 0, NULL, NULL, 1000)"
            )
        }
        try old.close()

        let world = try World(directory)
        try world.store.read { tx in
            let device = DeviceID(trusted: "a")
            #expect(try tx.commands.waiting(device).map(\.cid) == [1])
            #expect(try tx.commands.open(device).map(\.cid) == [1, 2])
            #expect(try tx.commands.newest(device, limit: 9).map(\.cid) == [2, 1])
            let done = try #require(try tx.commands.find(DeviceID(trusted: "b"), 1))
            #expect(done.state == .done && done.mode == .queue && done.data == ["level": 1])
            #expect(done.steps.map(\.state) == [.queued] && done.actor.id == "u")
            let request = try tx.requests.find("t", MessageID(trusted: "r"))
            #expect(request?.content == [1] && request?.answer == [2])
        }
    }

    @Test(
        "Open commands are found without a walk through all that a device ever had",
        arguments: [
            (CommandTable.queued, "commandQueued"), (CommandTable.firstQueued, "commandQueued"),
            (CommandTable.sent, "commandSent"), (CommandTable.firstSent, "commandSent"),
        ]
    )
    func plans(query: String, index: String) throws {
        let plan = try World().store.read { tx in
            try tx.sql.query("EXPLAIN QUERY PLAN \(query)") {
                $0.add("d")
            } row: {
                $0.text(3)
            }
        }
        #expect(plan == ["SEARCH command USING INDEX \(index) (did=?)"])
    }

    /// To write the file anew after a migration was added, run this test with
    /// `LAMPLIGHTER_WRITE_SCHEMA=1`.
    @Test("The migrations make what schemas/database.sql says")
    func schema() throws {
        let file = packageRoot.appending(path: "schemas/database.sql")
        let text = try World().store.schema()
        if ProcessInfo.processInfo.environment["LAMPLIGHTER_WRITE_SCHEMA"] == "1" {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test("Opening again finds what was committed")
    func reopen() throws {
        let directory = try TemporaryDirectory()
        do { try World(directory).fill() }
        let world = try World(directory)
        let count = try world.store.read { try $0.devices.count() }
        #expect(count == 1)
    }

    @Test("What throws in a batch changes nothing, neither tables nor the gate's file")
    func rollback() throws {
        struct Stop: Error {}
        let world = try World()
        try world.store.healCredentials()
        let before = try Data(contentsOf: world.directory.url.appending(path: "credentials"))
        #expect(throws: Stop.self) {
            try world.store.batch(at: Make.now) { (tx) throws in
                try tx.products.save(Make.product, secret: "s")
                throw Stop()
            }
        }
        let products = try world.store.read { try $0.products.all() }
        #expect(products.isEmpty)
        #expect(try Data(contentsOf: world.directory.url.appending(path: "credentials")) == before)
    }

    @Test("What throws in an isolated piece undoes that piece alone, in the gate's file too")
    func savepoint() throws {
        struct Stop: Error {}
        let world = try World()
        try world.fill()
        let other = ProductKey(trusted: String(repeating: "b", count: 32))
        try world.store.batch(at: Make.now) { (tx) throws in
            try tx.meta.set("a", to: "1")
            try? tx.isolated {
                try tx.meta.set("b", to: "2")
                try tx.products.save(Product(key: other, name: "Other"), secret: "x")
                throw Stop()
            }
            try tx.meta.set("c", to: "3")
        }
        let values = try world.store.read { tx in try ["a", "b", "c"].map { try tx.meta.value($0) }
        }
        #expect(values == ["1", nil, "3"])
        #expect(try GateFile(world).tables.products.keys.sorted() == [Make.key.text])
    }

    @Test("A hundred thousand devices open about as fast as a thousand")
    func start() throws {
        let few = try Self.opening(1000)
        let many = try Self.opening(100_000)
        print(
            "opening with 100,000 devices takes \(many / few) times as long as with 1,000: \(many)"
        )
    }

    private static func opening(_ count: Int) throws -> Duration {
        let directory = try TemporaryDirectory()
        do {
            let world = try World(directory)
            try world.fill()
            try world.store.batch(at: Make.now) { (tx) throws in
                try tx.sql.run(
                    """
                    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < $1)
                    INSERT INTO device (did, productKey, mac, secretHash, hardware, generation,
                        generationAt, lastCid, createdAt)
                    SELECT 'd-x' || n, $2, n, randomblob(32), '{}', 1, 0, 0, 0 FROM number
                    """
                ) {
                    $0.add(count)
                    $0.add(Make.key.text)
                }
            }
        }
        let clock = ContinuousClock()
        return try clock.measure {
            let world = try World(directory)
            try world.store.healCredentials()
        }
    }
}

@Suite("The SQL seam")
struct SQLTests {
    @Test("In every statement the first appearances of parameters ascend")
    func parameters() throws {
        let folder = packageRoot.appending(path: "Sources/Storage")
        let files = try #require(FileManager.default.enumerator(atPath: folder.path))
        var statements = 0
        for case let name as String in files where name.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            for literal in Self.literals(text) where literal.contains("$1") {
                statements += 1
                var seen: [Int] = []
                for match in literal.matches(of: /\$(\d+)/) {
                    guard let number = Int(match.1), !seen.contains(number) else { continue }
                    seen.append(number)
                }
                #expect(seen == Array(1...seen.count), "\(name): \(literal)")
            }
        }
        #expect(statements > 50)
    }

    /// The string literals of a source, those of several lines included.
    private static func literals(_ source: String) -> [String] {
        var literals: [String] = []
        for (index, part) in source.components(separatedBy: "\"\"\"").enumerated() {
            if index % 2 == 1 {
                literals.append(part)
            } else {
                for line in part.split(separator: "\n") where !line.contains("//") {
                    let pieces = line.components(separatedBy: "\"")
                    for place in stride(from: 1, to: pieces.count, by: 2) {
                        literals.append(pieces[place])
                    }
                }
            }
        }
        return literals
    }

    @Test("A set operation counts as one statement, whatever its size", arguments: [1, 10, 1000])
    func setOperations(_ count: Int) throws {
        let world = try World()
        let statements = try world.store.batch(at: Make.now) { (tx) throws in
            let before = tx.sql.statementCount
            try tx.sql.run("INSERT INTO meta (name, value) VALUES ($1, 'x')", each: 0..<count) {
                $0.add("name\($1)")
            }
            var found = 0
            try tx.sql.query("SELECT 1 FROM meta WHERE name = $1", each: 0..<count) {
                $0.add("name\($1)")
            } row: { _, _ in
                found += 1
            }
            #expect(found == count)
            return tx.sql.statementCount - before
        }
        #expect(statements == 2)
    }

    @Test("Values come back as they went in")
    func values() throws {
        let world = try World()
        try world.store.batch(at: Make.now) { (tx) throws in
            let row = try tx.sql.query("SELECT $1, $2, $3, $4, $5, $6, $7") {
                $0.add(Int64.min)
                $0.add("")
                $0.add("a😀")
                $0.add(bytes: [])
                $0.add(bytes: [0, 255])
                $0.add(nil as String?)
                $0.add(true)
            } row: { row in
                (
                    row.integer(0), row.optionalText(1), row.text(2), row.optionalBytes(3),
                    row.bytes(4), row.optionalText(5), row.bool(6)
                )
            }.first
            let first = try #require(row)
            #expect(first.0 == .min && first.1 == "" && first.2 == "a😀" && first.3 == [])
            #expect(first.4 == [0, 255] && first.5 == nil && first.6)
        }
    }
}
