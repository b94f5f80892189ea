import Domain
import PostgreSQL
import StoreTestKit
import TestKit
import Testing

@testable import Storage

@Suite("The time limit of transactions", .onlyInDatabase)
struct TransactionBoundTests {
    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        store = try TestStore.open(
            beside: directory,
            credentialsPath: directory.path("credentials"),
            bound: TransactionBound(.milliseconds(300))
        )
    }

    /// A way in which a transaction can exceed its time limit.
    struct Way: CustomTestStringConvertible, Sendable {
        var name: String
        var spend: @Sendable (Transaction) throws -> Void
        var testDescription: String { name }
    }

    /// A statement that takes only 40 ms, so that no timeout of the server ends it.
    private static let short = "SELECT pg_sleep($1)"

    static let ways = [
        Way(name: "one statement") { tx in
            _ = try tx.sql.query("SELECT pg_sleep(60)") { _ in }
        },
        Way(name: "one that nobody waits for") { try $0.sql.run("SELECT pg_sleep(60)") },
        Way(name: "many, one after another") { tx in for _ in 0..<1500 { _ = try tx.sql.query(short, 0.04) { _ in } } },
        Way(name: "many at once") { tx in
            try tx.sql.query(short, each: Array(repeating: 0.04, count: 400), { $0 }) { _, _ in }
        },
        Way(name: "many that nobody waits for") { tx in
            try tx.sql.run(short, each: Array(repeating: 0.04, count: 400)) { $0 }
        },
        Way(name: "a long scan") { tx in
            try tx.sql.scan("SELECT n, pg_sleep(0.001) FROM generate_series(1, 60000) AS n") { _ in true }
        },
    ]

    /// The time within which a transaction that exceeds the limit must fail.
    ///
    /// Without the limit, each of the `ways` would take at least twice as long.
    private static let patience = Duration.seconds(8)

    @Test("A transaction that exceeds the limit is cancelled, run again, and leaves nothing", arguments: ways)
    func tooLong(
        _ way: Way
    ) throws {
        var runs = 0
        let start = ContinuousClock.now
        let error = #expect(throws: PostgresError.self) {
            try store.arrange(at: Make.now) { tx in
                runs += 1
                try tx.meta.set("fact", to: "half")
                try way.spend(tx)
            }
        }

        #expect(error.map(StoreError.isTooLong) == true)
        #expect(error.map(StoreError.isStoresFault) == true)
        #expect(ContinuousClock.now - start < Self.patience)
        #expect(runs == 2 && store.rerunCount == 1)
        #expect(try store.read { try $0.meta.value("fact") } == nil)
    }

    @Test("A transaction that was slow only once succeeds in the second run", arguments: ways)
    func slowOnce(_ way: Way) throws {
        var runs = 0
        try store.arrange(at: Make.now) { tx in
            runs += 1
            try tx.meta.set("fact", to: "\(runs)")
            if runs == 1 { try way.spend(tx) }
        }

        #expect(runs == 2)
        #expect(try store.read { try $0.meta.value("fact") } == "2")
    }

    @Test("A reading transaction has the same limit, and isn't run again", arguments: ways)
    func reading(_ way: Way) throws {
        let error = #expect(throws: PostgresError.self) { try store.read(way.spend) }
        #expect(error.map(StoreError.isTooLong) == true)
        #expect(store.rerunCount == 0)
    }

    @Test("A command beside the service has no limit")
    func unbound() throws {
        let tool = try TestStore.open(
            beside: directory,
            credentialsPath: directory.path("credentials"),
            bound: nil
        )
        let limit = try tool.read { tx in
            try tx.sql.first("SELECT current_setting('statement_timeout')") { $0.next(String.self) }
        }
        let bound = try store.read { tx in
            try tx.sql.first("SELECT current_setting('statement_timeout')") { $0.next(String.self) }
        }
        #expect(limit == "15s" && bound == "300ms")
        #expect(TransactionBound.service.longest == .seconds(5))
    }
}

@Suite("Statements whose results aren't awaited", .onlyInDatabase)
struct LaterTests {
    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        store = try TestStore.open(directory)
    }

    private func fact(_ name: String) throws -> String? { try store.read { try $0.meta.value(name) } }

    private func add(_ name: String?, _ sql: SQL) throws {
        try sql.run("INSERT INTO meta (name, value) VALUES ($1, 'x')", name)
    }

    @Test("A violated unique key is reported as usual, by the commit or by the next awaited statement")

    func uniqueKey() throws {
        for waits in [false, true] {
            var runs = 0
            let error = #expect(throws: StoreError.Persistent.self) {
                try store.arrange(at: Make.now) { tx in
                    runs += 1
                    try add("first", tx.sql)
                    try add("twice", tx.sql)
                    try add("twice", tx.sql)
                    try add("third", tx.sql)
                    if waits { _ = try tx.meta.value("third") }
                }
            }
            #expect((error?.cause as? PostgresError)?.state == "23505")
            #expect(runs == RunAgain.runsMax)
            #expect(try fact("first") == nil)
        }
    }

    @Test("A statement's own error is not attributed to the statements after it")
    func fault() throws {
        let error = #expect(throws: PostgresError.self) {
            try store.arrange(at: Make.now) { tx in
                try add("first", tx.sql)
                try add(nil, tx.sql)
                try add("third", tx.sql)
            }
        }
        #expect(error?.state == "23502")
        #expect(error.map(StoreError.isStoresFault) == false)
        #expect(try fact("first") == nil)
    }

    @Test("A transaction sees its own writes and the numbers of changed rows")
    func ownWrites() throws {
        let (changed, value) = try store.arrange(at: Make.now) { (tx) throws in
            try add("first", tx.sql)
            try add("second", tx.sql)
            try tx.sql.run("UPDATE meta SET value = 'y' WHERE name IN ('first', 'second')")
            return (try tx.sql.changes, try tx.meta.value("second"))
        }
        #expect(changed == 2 && value == "y")
        #expect(try fact("first") == "y")
    }

    /// A way in which a part of a transaction can fail.
    enum Failing: CaseIterable { case atOnce, beforeAnythingLeft, byStatement, byStatementThatIsWaitedFor }

    private struct Stop: Error {}

    /// Runs a part of a transaction, and returns whether that part has failed.
    private func fails(_ tx: Transaction, _ body: () throws -> Void) -> Bool {
        do {
            try tx.isolated(body)
            return false
        } catch {
            return true
        }
    }

    private func fail(_ failing: Failing, _ tx: Transaction) throws {
        if failing == .atOnce { throw Stop() }
        try add("inside", tx.sql)
        if failing == .beforeAnythingLeft { throw Stop() }
        try add(nil, tx.sql)
        if failing == .byStatementThatIsWaitedFor { _ = try tx.meta.value("inside") }
    }

    @Test("A failed piece rolls back only itself", arguments: Failing.allCases)
    func piece(_ failing: Failing) throws {
        var failed: [Bool] = []
        try store.arrange(at: Make.now) { (tx) throws in
            failed = []
            try add("before", tx.sql)
            failed.append(fails(tx) { try fail(failing, tx) })
            try tx.isolated {
                try add("kept", tx.sql)
                failed.append(fails(tx) { try add("kept", tx.sql) })
            }
            try add("behind", tx.sql)
        }
        #expect(failed == [true, true])
        #expect(try ["before", "inside", "kept", "behind"].map(fact) == ["x", nil, "x", "x"])
    }

    @Test("Writes on a lane that another process has leased are never committed")
    func lostLane() throws {
        let other = store.guarded(by: Fence(worker: "status", lane: 0, epoch: 1))
        #expect(throws: LaneLost.self) {
            try other.batch(at: Make.now) { try add("mine", $0.sql) }
        }
        #expect(throws: LaneLost.self) {
            try other.batch(at: Make.now) { _ = try $0.meta.value("mine") }
        }
        #expect(throws: LaneLost.self) { try other.enter("status.00") }
        #expect(try fact("mine") == nil)
        #expect(store.rerunCount == 0)
    }
}
