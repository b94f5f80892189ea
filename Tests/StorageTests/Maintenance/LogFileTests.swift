import Foundation
import StoreTestKit
import TestKit
import Testing

@testable import Storage

@Suite("The length of the log file", .onlyOnFile)
struct LogFileTests {
    private static func size(_ world: World) throws -> Int {
        let path = world.directory.path("test.db-wal")
        return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? -1
    }

    /// Writes about twenty pages of the database.
    private static func write(_ world: World, _ number: Int) throws {
        // The text alternates because SQLite doesn't write unchanged pages.
        let text = String(repeating: number.isMultiple(of: 2) ? "x" : "y", count: 40_000)
        try world.store.arrange(at: Make.now) { try $0.meta.set("big", to: "\(number) \(text)") }
    }

    @Test("The file is extended before it is written, but not beyond its limit")
    func growth() throws {
        let world = try World()
        try world.store.arrange(at: Make.now) { try $0.meta.set("fact", to: "begun") }
        #expect(try Self.size(world) < LogFile.pieceBytes, "Who writes little needs little.")

        var number = 0
        var sizes: [Int] = []
        while try Self.size(world) < LogFile.bytesMax, number < 2000 {
            try Self.write(world, number)
            number += 1
            while try world.store.lengthenLog() {}
            sizes.append(try Self.size(world))
        }
        #expect(sizes == sizes.sorted())
        #expect(sizes.last == LogFile.bytesMax)
        #expect(try world.store.read { try $0.meta.value("big") }?.hasPrefix("\(number - 1) ") == true)

        try world.store.checkpoint()
        try Self.write(world, number)
        #expect(try !world.store.lengthenLog())
        #expect(try Self.size(world) == LogFile.bytesMax, "It starts over within its length.")
    }

    @Test("After a crash all commits up to the last one are found before the zeros")
    func crash() throws {
        let world = try World()
        for number in 0..<150 {
            try Self.write(world, number)
            _ = try world.store.lengthenLog()
            if number % 40 == 39 { try world.store.checkpoint() }
            guard number % 30 == 7 else { continue }
            let copy = try TemporaryDirectory()
            for name in ["test.db", "test.db-wal"] {
                try FileManager.default.copyItem(atPath: world.directory.path(name), toPath: copy.path(name))
            }
            let reborn = try World(copy)
            let value = try reborn.store.read { try $0.meta.value("big") }
            #expect(value?.hasPrefix("\(number) ") == true)
        }
        #expect(try Self.size(world) > 5 << 20)
    }

    @Test("A truncated log gets its length back")
    func cut() throws {
        let world = try World()
        var number = 0
        while try Self.size(world) < LogFile.bytesMax, number < 2000 {
            try Self.write(world, number)
            number += 1
            _ = try world.store.lengthenLog()
        }
        #expect(try Self.size(world) == LogFile.bytesMax)
        try world.store.arrange(at: Make.now) { try $0.meta.set("vacuumErased", to: "1") }
        #expect(try world.store.vacuumErased())
        #expect(try Self.size(world) == 0)
        while try world.store.lengthenLog() {}
        #expect(try Self.size(world) == LogFile.bytesMax)
        try Self.write(world, number)
        let value = try world.store.read { try $0.meta.value("big") }
        #expect(value?.hasPrefix("\(number) ") == true)
    }

    @Test("Writers lose nothing meanwhile")
    func together() async throws {
        let world = try World()
        let store = world.store
        let growing = Task.detached {
            while !Task.isCancelled {
                _ = try? store.lengthenLog()
                await Task.yield()
            }
        }
        for number in 0..<300 {
            try Self.write(world, number)
            let value = try store.read { try $0.meta.value("big") }
            #expect(value?.hasPrefix("\(number) ") == true)
        }
        growing.cancel()
        await growing.value
    }
}
