import TestKit
import Testing

@testable import PostgreSQL

@Suite("Meaning of PostgreSQL's errors", .enabled(if: PostgresServer.isInstalled)) struct PostgresErrorTests {
    @Test(
        "Each error is a fault of the server, a conflict, or a fault of the statement",
        arguments: [
            ("08006", .server), ("08007", .conflict), ("53100", .server), ("53300", .server),
            ("57P01", .server), ("57P03", .server), ("58030", .server), ("XX001", .server),
            ("25006", .server), ("25P03", .server), ("", .server),
            ("40001", .conflict), ("40P01", .conflict), ("55P03", .conflict), ("57014", .conflict),
            ("23505", .conflict),
            ("23503", .statement), ("23514", .statement), ("22012", .statement),
            ("42P01", .statement), ("25P02", .statement),
        ] as [(String, PostgresError.Kind)]
    )
    func kinds(state: String, kind: PostgresError.Kind) {
        #expect(PostgresError(state: state, message: "").kind == kind)
    }

    @Test("A violated key is reported as such, without its value")
    func uniqueKey() throws {
        let session = try Session()
        try session.connection.execute("CREATE TEMP TABLE note (id TEXT PRIMARY KEY)")
        try session.connection.execute("INSERT INTO note VALUES ('secret')")

        let error = #expect(throws: PostgresError.self) {
            try session.connection.execute("INSERT INTO note VALUES ('secret')")
        }

        #expect(error?.state == "23505" && error?.kind == .conflict)
        #expect(error?.description.contains("secret") == false)
    }

    @Test("Waiting too long for a lock is a conflict")
    func lock() throws {
        let (first, second) = (try Session(), try Session())
        try first.connection.execute("SELECT pg_advisory_lock(77)")
        try second.connection.execute("SET lock_timeout = '20ms'")
        #expect(second.state("SELECT pg_advisory_lock(77)") == "55P03")
        #expect(PostgresError(state: "55P03", message: "").kind == .conflict)
    }

    @Test("A connection ended by the server is lost, which is the server's fault")
    func ended() throws {
        let (lost, other) = (try Session(), try Session())
        let pid = try lost.integers("SELECT pg_backend_pid()")
        _ = try other.integers("SELECT pg_terminate_backend($1::integer, 5000)", pid[0])

        let error = #expect(throws: PostgresError.self) { try lost.integers("SELECT 1") }

        #expect(error?.kind == .server)
        #expect(lost.connection.isLost)
    }

    @Test("A commit without an answer may have succeeded, so its work is run again")

    func unknownCommit() throws {
        let (lost, other) = (try Session(), try Session())
        let pid = try lost.integers("SELECT pg_backend_pid()")

        let error = #expect(throws: PostgresError.self) {
            try lost.connection.transaction {
                _ = try other.integers("SELECT pg_terminate_backend($1::integer, 5000)", pid[0])
            }
        }

        #expect(error?.state == "08007" && error?.kind == .conflict)
    }

    @Test("A set operation on a lost connection ends")
    func lostPipeline() throws {
        let (lost, other) = (try Session(), try Session())
        let pid = try lost.integers("SELECT pg_backend_pid()")
        _ = try lost.integers("SELECT $1", 1)
        _ = try other.integers("SELECT pg_terminate_backend($1::integer, 5000)", pid[0])

        let error = #expect(throws: PostgresError.self) {
            try lost.connection.query("SELECT $1", each: 0..<1000) { element, list in
                list.set(Int64(element), at: 1)
            } row: { _, _ in
            }
        }

        #expect(error?.kind == .server)
    }
}
