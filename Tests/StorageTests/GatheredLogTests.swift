import Foundation
import GRDB
import TestKit
import Testing

@testable import Storage

@Suite("The log is written by one call a transaction")
struct GatheredLogTests {
    /// How often the calling thread has written.
    private static func writes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("syscw:") })
        return try #require(Int(line.dropFirst(6).trimmingCharacters(in: .whitespaces)))
    }

    @Test("Twenty pages are one write")
    func once() throws {
        let world = try World()
        func write(_ letter: String) throws {
            let text = String(repeating: letter, count: 40_000)
            try world.store.batch(at: Make.now) { try $0.meta.set("big", to: text) }
        }
        try write("a")
        let before = try Self.writes()
        for letter in ["b", "c", "d", "e"] { try write(letter) }
        #expect(try Self.writes() - before == 4)
    }

    /// Somebody who writes to the database, with so small a cache that pages go into the log before
    /// their transaction is decided.
    private static func writer(_ world: World) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA cache_size = 4; PRAGMA wal_autocheckpoint = 60")
        }
        return try DatabaseQueue(
            path: world.directory.path("test.db"),
            configuration: configuration
        )
    }

    /// What is in the table: the length of each row's text.
    private static func rows(_ database: Database) throws -> [Int: Int] {
        let rows = try Row.fetchAll(database, sql: "SELECT id, length(text) AS size FROM try")
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["id"], $0["size"]) })
    }

    private struct Undone: Error {}

    /// Changes a few rows, and then perhaps thinks better of it.
    private static func change(
        _ database: Database,
        _ rows: [Int: Int],
        _ random: inout Seed
    ) throws -> [Int: Int] {
        var changed = rows
        for _ in 0..<Int.random(in: 1...30, using: &random) {
            let id = Int.random(in: 0..<40, using: &random)
            let size = Int.random(in: 0..<6000, using: &random)
            var attempt = changed
            attempt[id] = size
            let isKept = Int.random(in: 0..<4, using: &random) > 0
            try database.execute(sql: "SAVEPOINT piece")
            try database.execute(
                sql: "INSERT OR REPLACE INTO try (id, text) VALUES (?, ?)",
                arguments: [id, String(repeating: "x", count: size)]
            )
            // Reads what was only just written, some of it from the log.
            #expect(try Self.rows(database) == attempt)
            if isKept { changed = attempt } else { try database.execute(sql: "ROLLBACK TO piece") }
            try database.execute(sql: "RELEASE piece")
        }
        return changed
    }

    @Test(
        "Whatever is undone and whoever writes next, what was committed is there",
        arguments: 1...4
    )
    func turns(seed: Int) throws {
        var random = Seed(seed)
        let world = try World()
        let writers = [try Self.writer(world), try Self.writer(world)]
        try writers[0].write { database in
            try database.execute(sql: "CREATE TABLE try (id INTEGER PRIMARY KEY, text TEXT)")
        }
        var rows: [Int: Int] = [:]
        for turn in 0..<60 {
            let writer = writers[Int.random(in: 0...1, using: &random)]
            let isUndone = Int.random(in: 0..<3, using: &random) == 0
            rows = try writer.inDatabase { database in
                var changed = rows
                try database.inTransaction(.immediate) {
                    changed = try Self.change(database, rows, &random)
                    guard isUndone else { return .commit }
                    // Leaves pages behind that nobody has read.
                    try database.execute(
                        sql: "UPDATE try SET text = ?",
                        arguments: [String(repeating: "y", count: 9000)]
                    )
                    return .rollback
                }
                return isUndone ? rows : changed
            }
            for reader in writers { #expect(try reader.read(Self.rows) == rows, "turn \(turn)") }
            if turn % 15 == 14 { try Self.expect(rows, afterCrashOf: world) }
        }
        let verdict = try writers[0].read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
        #expect(verdict == "ok")
    }

    /// The files as a killed process leaves them hold what was committed.
    private static func expect(_ rows: [Int: Int], afterCrashOf world: World) throws {
        let copy = try TemporaryDirectory()
        for name in ["test.db", "test.db-wal"] {
            try FileManager.default.copyItem(
                atPath: world.directory.path(name),
                toPath: copy.path(name)
            )
        }
        let opened = try DatabaseQueue(path: copy.path("test.db"))
        #expect(try opened.read(Self.rows) == rows)
    }
}
