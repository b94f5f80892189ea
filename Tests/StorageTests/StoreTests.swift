import Credentials
import Domain
import Foundation
import Sodium
import StoreTestKit
import TestKit
import Testing

@testable import Storage

@Suite("The file that contains all data")
struct StoreTests {
    @Test("The settings for durability are on, as reading them shows", .onlyOnFile)
    func settings() throws {
        let world = try World()
        let settings = Dictionary(uniqueKeysWithValues: try world.store.settings().map { ($0.name, $0.value) })
        #expect(settings["journal_mode"] == "wal")
        #expect(settings["synchronous"] == "2")
        #expect(settings["foreign_keys"] == "1")
    }

    @Test(
        "The pages that commits leave in the log are counted for the checkpointer",
        .onlyOnFile
    )
    func pagesWritten() throws {
        let world = try World()
        // The first commit also counts the pages that the migrations have written.
        try world.store.arrange(at: Make.now) { try $0.meta.set("fact", to: "begun") }
        let before = world.store.pagesWritten
        try world.store.arrange(at: Make.now) { try $0.meta.set("fact", to: "told") }
        let after = world.store.pagesWritten
        #expect((1...10).contains(after - before))
        try world.store.arrange(at: Make.now) { _ = try $0.meta.value("fact") }
        #expect(world.store.pagesWritten == after)
        #expect(throws: CancellationError.self) {
            try world.store.arrange(at: Make.now) { (tx) throws in
                try tx.meta.set("fact", to: "lost")
                throw CancellationError()
            }
        }
        #expect(world.store.pagesWritten == after)
        #expect(try world.store.read { try $0.meta.value("fact") } == "told")
    }

    @Test("Foreign keys are enforced")
    func foreignKeys() throws {
        let world = try World()
        let error = #expect(throws: (any Error).self) {
            try world.store.arrange(at: Make.now) { (tx) throws in
                try tx.devices.create(Make.did, product: Make.key, mac: MAC(trusted: "0123456789ab"))
            }
        }
        #expect(error.map { "\($0)".lowercased() }?.contains("foreign key") == true)
        #expect(error.map(StoreError.isStoresFault) == false)
    }

    @Test("A file that can't have a write-ahead log is refused")
    func noLog() throws {
        let key = try #require(ServerKey([UInt8](repeating: 7, count: 32)))
        #expect(throws: Store.Failure.self) { _ = try Store(path: ":memory:", credentialsPath: nil, key: key) }
    }

    @Test(
        "The service and a tool refuse another key, and the right key still works",
        .onlyOnFile
    )
    func foreignKey() throws {
        let directory = try TemporaryDirectory()
        do { try World(directory).fill() }
        let path = directory.path("test.db")
        let other = try #require(ServerKey([UInt8](repeating: 8, count: 32)))
        for migrates in [true, false] {
            #expect(throws: Store.Failure.foreignKey(path: path)) {
                try Store(path: path, credentialsPath: nil, key: other, migrates: migrates)
            }
        }
        _ = try World(directory)
    }

    @Test("A file that isn't a database is refused", .onlyOnFile)
    func noDatabase() throws {
        let directory = try TemporaryDirectory()
        try directory.write(String(repeating: "this is no database ", count: 100), to: "test.db")
        #expect(throws: Store.Failure.self) { try World(directory) }
    }

    @Test(
        "Two processes that write in the same millisecond assign different numbers, the later one higher numbers"
    )
    func sequence() throws {
        let world = try World()
        let other = try World(world.directory)
        var ids: [Int64] = []
        for store in [world.store, other.store, other.store, world.store, other.store] {
            let id = try store.arrange(at: Make.now) {
                try $0.outbox.add([Make.message()], by: "control", isSecret: false)
            }
            ids.append(id)
        }
        #expect(ids == Set(ids).sorted())
    }

    @Test("Opening the store again finds all committed data")
    func reopen() throws {
        let directory = try TemporaryDirectory()
        do { try World(directory).fill() }
        let world = try World(directory)
        let count = try world.store.read { try $0.devices.count() }
        #expect(count == 1)
    }

    @Test("An error in a batch changes neither the tables nor the gate's file")
    func rollback() throws {
        struct Stop: Error {}
        let world = try World()
        try world.store.rebuildCredentials()
        let before = try Data(contentsOf: world.directory.url.appending(path: "credentials"))
        #expect(throws: Stop.self) {
            try world.store.arrange(at: Make.now) { (tx) throws in
                try tx.products.save(Make.product, secret: "s")
                throw Stop()
            }
        }
        let products = try world.store.read { try $0.products.all() }
        #expect(products.isEmpty)
        #expect(try Data(contentsOf: world.directory.url.appending(path: "credentials")) == before)
    }

    @Test("An error in an isolated piece rolls back only that piece, in the gate's file too") func savepoint() throws {
        struct Stop: Error {}
        let world = try World()
        try world.fill()
        let other = ProductKey(trusted: String(repeating: "b", count: 32))
        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.meta.set("a", to: "1")
            try? tx.isolated {
                try tx.meta.set("b", to: "2")
                try tx.products.save(Product(key: other, name: "Other"), secret: "x")
                throw Stop()
            }
            try tx.meta.set("c", to: "3")
        }
        let values = try world.store.read { tx in try ["a", "b", "c"].map { try tx.meta.value($0) } }
        #expect(values == ["1", nil, "3"])
        #expect(try GateFile(world).tables.products.keys.sorted() == [Make.key.text])
    }
}
