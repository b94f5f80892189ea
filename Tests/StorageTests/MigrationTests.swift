import Domain
import Foundation
import GRDB
import JSON
import TestKit
import Testing
import Wire

@testable import Storage

@Suite("The database's past")
struct MigrationTests {
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

    @Test("A database from before the first release is refused, and stays as it is")
    func unreleased() throws {
        let directory = try TemporaryDirectory()
        let old = try DatabaseQueue(path: directory.path("test.db"))
        var migrator = DatabaseMigrator()
        migrator.registerMigration("001-main-path") { database in
            try database.execute(
                sql: "CREATE TABLE meta (name TEXT); INSERT INTO meta VALUES ('x')"
            )
        }
        try migrator.migrate(old)

        let failure = #expect(throws: Store.Failure.self) { try World(directory) }
        #expect(failure?.description.contains("before the first release") == true)
        #expect(try old.read { try String.fetchAll($0, sql: "SELECT name FROM meta") } == ["x"])
    }

    /// To rewrite the file after a migration was added, run this test with `LAMPLIGHTER_WRITE_SCHEMA=1`.
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
}
