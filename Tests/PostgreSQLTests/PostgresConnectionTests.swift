import TestKit
import Testing

@testable import PostgreSQL

/// A connection to the test server, with functions for common statements.
struct Session {
    let connection: PostgresConnection

    init(_ address: String? = nil) throws {
        let server = try #require(PostgresServer.shared)
        connection = try PostgresConnection(PostgresAddress(address ?? server.address()))
    }

    /// Runs a statement with integer parameters, and returns the first column's integers.
    func integers(_ sql: String, _ values: Int64...) throws -> [Int64] {
        var found: [Int64] = []
        try connection.query(sql) { list in
            for (place, value) in values.enumerated() { list.set(value, at: place + 1) }
        } row: {
            found.append($0.integer(0))
            return true
        }
        return found
    }

    /// Returns the SQLSTATE code of a statement's error, or nil if the statement succeeds.
    func state(_ sql: String) -> String? {
        do {
            try connection.execute(sql)
            return nil
        } catch {
            return error.state
        }
    }
}

@Suite("A connection to PostgreSQL", .enabled(if: PostgresServer.isInstalled))
struct PostgresConnectionTests {
    @Test("Values are read as they were written, including NULL of each type")
    func values() throws {
        let connection = try Session().connection
        let sql = "SELECT $1, $2, $3, $4, $5, $6 IS NULL, $7"

        try connection.query(sql) { list in
            list.set(.min, at: 1)
            list.set(-0.5, at: 2)
            "a😀".utf8CString.withUnsafeBytes { list.set(UnsafeRawBufferPointer(rebasing: $0.dropLast()), .text, at: 3) }
            list.set(UnsafeRawBufferPointer(start: nil, count: 0), .text, at: 4)
            [0, 255 as UInt8].withUnsafeBytes { list.set($0, .bytes, at: 5) }
            list.setNull(.text, at: 6)
            list.setNull(.bytes, at: 7)
        } row: { row in
            #expect(row.integer(0) == .min && row.double(1) == -0.5)
            #expect(String(decoding: row.bytes(2), as: UTF8.self) == "a😀")
            #expect(!row.isNull(3) && row.bytes(3).isEmpty)
            #expect(Array(row.bytes(4)) == [0, 255])
            #expect(row.integer(5) == 1)
            #expect(row.isNull(6) && row.bytes(6).isEmpty && row.integer(6) == 0)
            return true
        }
    }

    @Test("An integer parameter has 64 bits wherever it is used")
    func wide() throws {
        let found = try Session().integers("SELECT 1000 * $1", 3_000_000_000)
        #expect(found == [3_000_000_000_000])
    }

    @Test(
        "Integers of each width and Boolean values are read",
        arguments: ["7::smallint", "7", "7::bigint", "7 > 6"]
    )
    func widths(_ expression: String) throws {
        let found = try Session().integers("SELECT \(expression)")
        #expect(found == [expression == "7 > 6" ? 1 : 7])
    }

    @Test("A statement is prepared once for each list of types")
    func prepared() throws {
        let session = try Session()
        for number in 0..<3 { _ = try session.integers("SELECT $1 + 1", Int64(number)) }
        try session.connection.query("SELECT $1 + 1") {
            $0.set(1.5, at: 1)
        } row: {
            #expect($0.double(0) == 2.5)
            return true
        }

        let kept = try session.integers("SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT $1 + 1'")
        #expect(kept == [2])
    }

    @Test("The number of changed rows is returned")
    func changes() throws {
        let session = try Session()
        try session.connection.execute("CREATE TEMP TABLE note (id BIGINT)")
        _ = try session.integers("INSERT INTO note SELECT generate_series(1, $1)", 5)
        #expect(session.connection.changes == 5)
        _ = try session.integers("DELETE FROM note WHERE id > $1", 3)
        #expect(session.connection.changes == 2)
        _ = try session.integers("DELETE FROM note WHERE id > $1", 3)
        #expect(session.connection.changes == 0)
    }

    @Test("An error in a transaction rolls it back, and the connection remains usable")
    func rollback() throws {
        struct Stop: Error {}
        let session = try Session()
        try session.connection.execute("CREATE TEMP TABLE note (id BIGINT)")

        #expect(throws: Stop.self) {
            try session.connection.transaction {
                try session.connection.execute("INSERT INTO note VALUES (1)")
                throw Stop()
            }
        }
        try session.connection.transaction { _ = try session.connection.execute("INSERT INTO note VALUES (2)") }

        #expect(try session.integers("SELECT id FROM note") == [2])
    }

    @Test("A transaction that continued after a failed statement doesn't count as committed") func passedOver() throws {
        let session = try Session()
        let error = #expect(throws: PostgresError.self) {
            try session.connection.transaction { _ = try? session.connection.execute("SELECT 1 / 0") }
        }
        #expect(error?.state == "25P02")
        #expect(!session.connection.isInTransaction)
    }

    @Test("Among several hosts, the one that answers is found")
    func hosts() throws {
        let server = try #require(PostgresServer.shared)
        let address =
            "host=/nonexistent,\(server.directory) user=lamplighter dbname=postgres "
            + "target_session_attrs=read-write"
        #expect(try Session(address).integers("SELECT 1") == [1])
    }

    @Test("An unreachable server counts as a fault of the server")
    func unreachable() {
        let error = #expect(throws: PostgresError.self) {
            try PostgresConnection(PostgresAddress("host=/nonexistent dbname=postgres"))
        }
        #expect(error?.kind == .server)
        #expect(error?.message.contains("/nonexistent") == true)
    }
}
