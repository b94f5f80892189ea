import Domain
import Foundation
import SQLite
import Storage
import StoreTestKit
import TestKit
import Testing

@Suite("Shrinking a file", .onlyOnFile) struct ShrinkTests {
    private func fileBytes(_ world: World) throws -> Int {
        let path = world.directory.path("test.db")
        return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    private func grow(_ world: World, letters: Int) throws {
        let payload = [UInt8](repeating: 7, count: 60_000)
        for _ in 0..<letters / 20 {
            try world.store.arrange(at: Make.now) { (tx) throws in
                let letter = (topic: "t", payload: payload, isShapeOnly: false, reason: "r")
                let letters = Array(repeating: letter, count: 20)
                _ = try tx.deadLetters.add(letters, worker: "status", keeping: 100_000)
            }
        }
        try world.store.checkpoint()
    }

    @Test("A file gives up free space in steps, and keeps all data")
    func shrinks() throws {
        let world = try World()
        try world.fill()
        try grow(world, letters: 1000)
        let grown = try fileBytes(world)
        _ = try world.store.arrange(at: Make.now) { try $0.deadLetters.dropAll() }
        #expect(try world.store.fileSize().freeBytes > 50_000_000)

        while try world.store.fileSize().freeBytes > 0 {
            try world.store.shrink(pages: 512)
        }
        try world.store.checkpoint()

        #expect(grown > 60_000_000)
        #expect(try fileBytes(world) < 1_000_000)
        #expect(try world.store.read { try $0.devices.count() } == 1)
    }

    @Test("A file of an older version is rewritten once, if it is small or on request")
    func converts() throws {
        let directory = try TemporaryDirectory()
        try SQLiteConnection(path: directory.path("test.db"))
            .execute("PRAGMA page_size = 2048; CREATE TABLE kept (n INTEGER) STRICT")

        let world = try World(directory)

        #expect(try world.store.fileSize().isShrinkable)
        #expect(try world.store.makeShrinkable())
    }

    @Test("A file is copied in one pass, as it was at the beginning, while others commit")
    func copies() throws {
        let world = try World()
        try grow(world, letters: 500)
        let copy = DatabaseCopy(path: world.directory.path("copy.db"))
        var steps = 0
        try world.store.copy(to: copy) { _ in
            steps += 1
            try #require(steps < 20, "the copy began again")
            try world.store.arrange(at: Make.now) { try $0.meta.set("fact", to: "step \(steps)") }
        }
        #expect(steps > 2)
        let copied = try SQLiteConnection(path: copy.path)
        #expect(try copied.texts("SELECT value FROM meta WHERE name = 'fact'").isEmpty)
        #expect(try copied.integer("SELECT count(*) FROM deadLetter") == 500)
    }
}
