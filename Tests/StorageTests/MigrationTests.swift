import Domain
import Foundation
import JSON
import SQLite
import Sodium
import StoreTestKit
import TestKit
import Testing

@testable import Storage

@Suite("Earlier versions of the database", .onlyOnFile)
struct MigrationTests {
    @Test("A newer version's database is refused")
    func newer() throws {
        let directory = try TemporaryDirectory()
        do { _ = try World(directory) }
        try SQLiteConnection(path: directory.path("test.db"))
            .execute("INSERT INTO grdb_migrations VALUES ('999-later')")
        #expect(throws: Store.Failure.newerVersion(path: directory.path("test.db"))) {
            try World(directory)
        }
    }

    @Test("A tool doesn't migrate a database")
    func tool() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: Store.Failure.olderVersion(path: directory.path("test.db"))) {
            try World(directory, migrates: false)
        }
        do { _ = try World(directory) }
        _ = try World(directory, migrates: false)
    }

    @Test("A database from before the first release is refused and remains unchanged") func unreleased() throws {
        let directory = try TemporaryDirectory()
        let old = try SQLiteConnection(path: directory.path("test.db"))
        let step = ("001-main-path", "CREATE TABLE meta (name TEXT); INSERT INTO meta VALUES ('x')")
        try Migrations.run([step], in: old)

        let failure = #expect(throws: Store.Failure.self) { try World(directory) }
        #expect(failure?.description.contains("before the first release") == true)
        #expect(try old.texts("SELECT name FROM meta") == ["x"])
    }

    /// A migration step for a possible next version, which adds a table, a column and an index.
    private static let next: Migrations.Step = (
        "next",
        """
        CREATE TABLE later (name TEXT NOT NULL PRIMARY KEY) STRICT;
        ALTER TABLE home ADD COLUMN icon TEXT NOT NULL DEFAULT 'house';
        CREATE INDEX homeIcon ON home (icon);
        """
    )

    private func open(
        _ directory: TemporaryDirectory,
        _ steps: [Migrations.Step],
        beforeMigrating: (Store) throws -> Void = { _ in }
    ) throws -> Store {
        try Store(
            path: directory.path("test.db"),
            credentialsPath: directory.path("credentials"),
            key: try #require(ServerKey([UInt8](repeating: 7, count: 32))),
            steps: steps,
            beforeMigrating: beforeMigrating
        )
    }

    /// Fills each table with three rows of made-up values that satisfy the constraints.
    ///
    /// References between tables are valid, because all tables contain the same strings.
    private func fill(_ database: SQLiteConnection) throws {
        try database.execute("PRAGMA foreign_keys = OFF")
        let tables = try database.texts(
            """
            SELECT name FROM sqlite_schema
            WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'grdb_%'
            """
        ).compactMap(\.self)
        for table in tables {
            let types = try database.texts("SELECT type FROM pragma_table_info(?)", table)
            for number in 0..<3 {
                // Some columns of type INTEGER are flags, which can only be 0 or 1. So the rows differ only in text
                // columns, in BLOB columns, and in the table's first column if its type is INTEGER.
                let isNumbered = types.allSatisfy { $0 == "INTEGER" } || types.first == "INTEGER"
                let values = types.enumerated().map { place, type in
                    switch type {
                    case "INTEGER": place == 0 && isNumbered ? "\(number + 10)" : "1"
                    case "REAL": "52.5"
                    case "BLOB": "x'0\(number)ff'"
                    default: "'{\"row\":\"\(number)\"}'"
                    }
                }
                try database.execute("INSERT INTO \(table) VALUES (\(values.joined(separator: ", ")))")
            }
        }
    }

    /// Fills the tables of a closed store, and returns their rows.
    private func filled(_ directory: TemporaryDirectory) throws -> [String: [String]] {
        let file = try SQLiteConnection(path: directory.path("test.db"))
        try fill(file)
        return try contents(file)
    }

    /// Returns the rows of all tables except `later`, each row as a string.
    private func contents(_ database: SQLiteConnection) throws -> [String: [String]] {
        let tables = try database.texts(
            """
            SELECT name FROM sqlite_schema
            WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'grdb_%'
                AND name <> 'later'
            """
        ).compactMap(\.self)
        var all: [String: [String]] = [:]
        for table in tables {
            let columns = try database.texts("SELECT name FROM pragma_table_info(?) WHERE name <> 'icon'", table)
                .compactMap(\.self)
            all[table] = try database.texts(
                """
                SELECT \(columns.map { "quote(\($0))" }.joined(separator: " || ',' || "))
                FROM \(table) ORDER BY 1
                """
            ).compactMap(\.self)
        }
        return all
    }

    @Test(
        "A program with one more migration step keeps all rows of each table"
    )
    func upgrade() throws {
        let directory = try TemporaryDirectory()
        do { _ = try open(directory, Migrations.steps) }
        let before = try filled(directory)
        // The table `meta` has one additional row, which contains the fingerprint of the key.
        #expect(before.count > 30)
        #expect(before.allSatisfy { $0.value.count == ($0.key == "meta" ? 4 : 3) })

        var copies = 0
        let copy = DatabaseCopy(path: directory.path("copy.db"))
        let steps = Migrations.steps + [Self.next]
        do {
            let store = try open(directory, steps) { store in
                copies += 1
                try store.copy(to: copy) { _ in }
            }
            #expect(try store.file?.pool.read(contents) == before)
            let icons = try store.file?.pool.read {
                try $0.texts("SELECT icon FROM home")
            }
            #expect(icons == ["house", "house", "house"])
        }
        // When the same version starts again, it has nothing to migrate, so it makes no copy.
        do { _ = try open(directory, steps) { _ in copies += 1 } }
        #expect(copies == 1)
        // The older version refuses the migrated store. The older version can open the copy, which contains the old
        // rows.
        #expect(throws: Store.Failure.newerVersion(path: directory.path("test.db"))) {
            try open(directory, Migrations.steps)
        }
        let old = try SQLiteConnection(path: copy.path)
        #expect(try contents(old) == before)
        #expect(try Migrations.applied(old) == Set(Migrations.steps.map(\.name)))
        #expect(try old.hasTable("later") == false)
    }

    @Test("A store from before names and tags keeps its devices, which can then have names and tags")

    func names() throws {
        let directory = try TemporaryDirectory()
        do { _ = try open(directory, Array(Migrations.steps.prefix(1))) }
        let before = try filled(directory)["device"]
        var copies = 0
        let store = try open(directory, Migrations.steps) { _ in copies += 1 }
        let after = try #require(store.file).pool.read(contents)["device"]
        #expect(before?.count == 3 && copies == 1)
        #expect(after == before?.map { "\($0),''" })
        let did = DeviceID(trusted: #"{"row":"1"}"#)
        var change = DeviceLabeling()
        change.name = "Hall"
        change.set = ["floor": DeviceTag(trusted: "floor", "2")]
        try store.arrange(at: Make.now) { _ = try $0.devices.label(did, change) }
        #expect(try store.read { try $0.devices.names(of: [did]) } == [did: "Hall"])
        #expect(try store.read { try $0.devices.tags(of: [did]) }[did]?.map(\.text) == ["floor=2"])
    }

    @Test("A store that can't be copied first isn't migrated, and a new store needs no copy")

    func refusedCopy() throws {
        struct NoRoom: Error {}
        let directory = try TemporaryDirectory()
        do { _ = try open(directory, Migrations.steps) { _ in throw NoRoom() } }
        #expect(throws: NoRoom.self) { try open(directory, Migrations.steps + [Self.next]) { _ in throw NoRoom() } }
        do { _ = try open(directory, Migrations.steps) }
    }

    /// Compares the schema of a new store with `database.sql`.
    ///
    /// With `LAMPLIGHTER_WRITE_SCHEMA=1`, the test first rewrites `database.sql`. This is necessary after a new
    /// migration step.
    @Test("The migrations create the tables of schemas/database.sql")
    func schema() throws {
        let schema = packageRoot.appending(path: "schemas/database.sql")
        let store = try World().store
        let file = try #require(store.file)
        let text = try file.pool.read { database in
            try database.texts(
                """
                SELECT sql FROM sqlite_schema
                WHERE sql IS NOT NULL AND name NOT LIKE 'grdb_%' AND name NOT LIKE 'sqlite_%'
                ORDER BY rowid
                """
            ).compactMap(\.self).map { $0 + ";\n" }.joined(separator: "\n")
        }
        if ProcessInfo.processInfo.environment["LAMPLIGHTER_WRITE_SCHEMA"] == "1" {
            try FileManager.default.createDirectory(
                at: schema.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: schema)
        }
        #expect(try String(contentsOf: schema, encoding: .utf8) == text)
    }
}
