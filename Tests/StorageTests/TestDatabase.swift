import Foundation
import PostgreSQL
import Sodium
import Synchronization
import TestKit
import Testing

@testable import Storage

/// The engine that the tests of Storage run on: SQLite, or PostgreSQL where `LAMPLIGHTER_TEST_STORE=postgres` says so.
enum TestDatabase {
    /// Whether the tests run on PostgreSQL.
    static let isPostgres =
        ProcessInfo.processInfo.environment["LAMPLIGHTER_TEST_STORE"] == "postgres"

    /// The name of a database with this version's tables, which others are copies of.
    private static let template = Result {
        guard let server = PostgresServer.shared,
            let key = ServerKey([UInt8](repeating: 7, count: 32))
        else { throw PostgresError(message: "there is no PostgreSQL to test with") }
        let name = server.newName()
        try connection().execute("CREATE DATABASE \(name)")
        let database = try PostgresDatabase(
            address: PostgresAddress(server.address(name)),
            key: key
        )
        try StoreEngine.postgres(database).prepare(migrates: true, steps: Migrations.steps) {}
        return name
    }

    /// Connects to a database; to the server's own where none is named.
    static func connection(_ address: String? = nil) throws -> PostgresConnection {
        guard let server = PostgresServer.shared else {
            throw PostgresError(message: "there is no PostgreSQL to test with")
        }
        return try PostgresConnection(PostgresAddress(address ?? server.address()))
    }

    /// Makes a database with this version's tables and returns its address.
    static func make() throws -> String {
        let template = try template.get()
        guard let server = PostgresServer.shared else { return "" }
        let name = server.newName()
        try connection().execute(
            "CREATE DATABASE \(name) TEMPLATE \(template)"
        )
        return server.address(name)
    }

    /// Removes a database; 10 MB each are too much to keep for all tests.
    private static func drop(_ address: String) {
        guard let name = address.split(separator: "@/").last?.prefix(while: { $0 != "?" }) else {
            return
        }
        _ = try? connection().execute("DROP DATABASE \(name) WITH (FORCE)")
    }

    /// Tells whether any file of a store's database holds a text.
    static func holds(_ text: String, _ store: Store) throws -> Bool {
        guard let server = PostgresServer.shared else { return false }
        try connection().execute("CHECKPOINT")
        let number = try store.read {
            try $0.sql.integer(
                "SELECT CAST(oid AS BIGINT) FROM pg_database WHERE datname = current_database()"
            )
        }
        let folder = "\(server.directory)/data/base/\(number ?? 0)"
        return try FileManager.default.contentsOfDirectory(atPath: folder).contains { name in
            let file = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
            return file.range(of: Data(text.utf8)) != nil
        }
    }

    /// Opens the database that belongs to a directory, and makes it the first time.
    static func open(
        _ directory: TemporaryDirectory,
        key: ServerKey,
        migrates: Bool
    ) throws -> Store {
        let note = directory.path("database")
        if !FileManager.default.fileExists(atPath: note) {
            let address = try make()
            try directory.write(address, to: "database")
            directory.onRemoval { drop(address) }
        }
        let address = try String(contentsOfFile: note, encoding: .utf8)
        let engine = StoreEngine.postgres(
            try PostgresDatabase(address: PostgresAddress(address), key: key)
        )
        try engine.prepare(migrates: migrates, steps: Migrations.steps) {}
        return Store(engine, credentialsPath: directory.path("credentials"), key: key)
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests of what only a file of SQLite's has.
    static var onlyOnFile: ConditionTrait {
        .disabled(if: TestDatabase.isPostgres, "it is about a file of SQLite's")
    }
}
