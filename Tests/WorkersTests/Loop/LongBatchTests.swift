import Domain
import JSON
import PostgreSQL
import Storage
import StoreTestKit
import TestKit
import Testing

@testable import Workers

@Suite("Batches that take too long", .onlyInDatabase)
struct LongBatchTests {
    /// The SQL statements that make the database wait 0.1 s for each report.
    private static let slow = """
        CREATE FUNCTION slow() RETURNS TRIGGER LANGUAGE plpgsql AS
            $$ BEGIN PERFORM pg_sleep(0.1); RETURN NEW; END $$;
        CREATE TRIGGER slow BEFORE INSERT ON inbox FOR EACH ROW EXECUTE FUNCTION slow()
        """

    @Test("A batch too large for a slow database is committed in halves, each message once") func halves() throws {
        let world = try World(devices: 4, users: 1, bound: 1)
        world.environment.store = try TestStore.open(
            beside: world.directory,
            credentialsPath: world.directory.path("credentials"),
            bound: TransactionBound(.seconds(1))
        )
        try TestStore.connection(TestStore.address(of: world.directory)).execute(Self.slow)
        // A report takes a tenth of a transaction's allowed time, so 16 reports exceed it.
        for number in 0..<16 {
            world.sendReport(number % 4, ["id": .string("r\(number)"), "data": ["level": .integer(Int64(number))]])
        }
        try world.runStatus()

        #expect(world.environment.store.rerunCount > 0)
        #expect(try (0..<4).map { try world.status($0)?.version } == [4, 4, 4, 4])
        #expect(try (0..<4).map { try world.historyCount($0) } == [4, 4, 4, 4])
        let answers = world.broker.published(ending: "/response").map { $0["id"] }
        #expect(answers.count == 16 && Set(answers.compactMap { $0?.stringValue }).count == 16)
        #expect(try world.count("inbox") == 16)
        #expect(try world.count("deadLetter") == 0)
        #expect(world.broker.acknowledged == 16)
    }

    @Test("A message that takes too long by itself is the store's fault, and isn't a dead letter") func alone() throws {
        let world = try World(devices: 1, users: 1, bound: 1)
        world.environment.store = try TestStore.open(
            beside: world.directory,
            credentialsPath: world.directory.path("credentials"),
            bound: TransactionBound(.seconds(1))
        )
        let connection = try TestStore.connection(TestStore.address(of: world.directory))
        try connection.execute(Self.slow.replacing("0.1", with: "60"))
        world.sendReport(0, ["id": "r", "data": ["level": 1]])

        #expect(throws: (any Error).self) { try world.runStatus() }
        #expect(try world.count("deadLetter") == 0)
        #expect(world.broker.acknowledged == 0)

        try connection.execute("DROP TRIGGER slow ON inbox")
        try world.runStatus()
        #expect(try world.status(0)?.version == 1)
        #expect(world.broker.published(ending: "/response").count == 1)
    }
}
