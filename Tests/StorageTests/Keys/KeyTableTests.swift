import Credentials
import Domain
import Sodium
import Testing

@testable import Storage

@Suite("API keys in the store and in the gate's file")
struct KeyTableTests {
    private func world() throws -> World {
        let world = try World()
        try world.store.rebuildCredentials()
        return world
    }

    private func key(_ number: Int = 1, expiresAt: Instant? = nil) -> APIKey {
        APIKey(
            id: KeyID(trusted: "k-\(number)"),
            app: Make.app,
            name: "server\(number)",
            terminal: TerminalID(trusted: String(repeating: "\(number)", count: 32)),
            scopes: ["device:read", "home"].compactMap { KeyScope($0) },
            createdAt: Make.now,
            expiresAt: expiresAt
        )
    }

    private func digest(_ text: String) throws -> Digest { try #require(Digest(Sodium.sha256(text.utf8))) }

    /// Returns the session that the gate sees for the API key.
    private func session(_ world: World, _ number: Int = 1) throws -> Credentials.Session? {
        try GateFile(world).tables.terminals[String(repeating: "\(number)", count: 32)]?.session
    }

    @Test("A key is found by its secret, and the gate's file has a session for it")
    func add() throws {
        let world = try world()
        let key = key()
        try world.store.arrange(at: Make.now) { try $0.keys.add(key, token: "llk_1") }
        try world.store.read { (tx) throws in
            #expect(try tx.keys.find(token: "llk_1") == key)
            #expect(try tx.keys.find(key.id) == key)
            #expect(try tx.keys.find(token: "llk_2") == nil)
            #expect(try tx.keys.owns(key.terminal) && !tx.keys.owns(Make.terminal))
        }
        let seen = try session(world)
        #expect(seen?.isKey == true && seen?.isUsed == true && seen?.sessionId == "k-1")
        #expect(try seen?.token == digest("llk_1") && seen?.old == nil)
        #expect(try !world.holds("llk_1"))
        try world.store.rebuildCredentials()
        #expect(try session(world) == seen)
    }

    @Test("A rotated key's old secret works until the new one is used, for at most a day")
    func rotate() throws {
        let world = try world()
        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.keys.add(key(), token: "llk_1")
            try tx.keys.rotate(key(), to: "llk_2")
        }
        #expect(try session(world)?.old?.until == Make.at(86_400).milliseconds)
        try world.store.arrange(at: Make.at(86_399)) { (tx) throws in
            let old = try #require(try tx.keys.find(token: "llk_1"))
            #expect(old.hasOldToken)
            try tx.keys.use("llk_1", of: old)
            #expect(try tx.keys.find(token: "llk_1") != nil)
        }
        try world.store.arrange(at: Make.at(86_400)) { (tx) throws in #expect(try tx.keys.find(token: "llk_1") == nil) }
        try world.store.arrange(at: Make.at(10)) { (tx) throws in
            try tx.keys.use("llk_2", of: try #require(try tx.keys.find(token: "llk_2")))
            #expect(try tx.keys.find(token: "llk_1") == nil)
        }
        #expect(try session(world)?.old == nil && session(world)?.token == digest("llk_2"))
    }

    @Test("The gate's report of the new secret's use ends only that rotation's old secret")
    func gateSaysUsed() throws {
        let world = try world()
        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.keys.add(key(), token: "llk_1")
            try tx.keys.rotate(key(), to: "llk_2")
            try tx.keys.endOldToken(of: key(), until: Make.at(1))
            #expect(try tx.keys.find(token: "llk_1") != nil)
            try tx.keys.endOldToken(of: key(), until: Make.at(86_400))
            #expect(try tx.keys.find(token: "llk_1") == nil)
        }
    }

    @Test("The terminal of an ended key keeps a dead session at the gate until the key's row is deleted")
    func end() throws {
        let world = try world()
        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.keys.add(key(), token: "llk_1")
            try tx.keys.add(key(2, expiresAt: Make.at(5)), token: "llk_2")
            #expect(try tx.keys.nextExpiry() == Make.at(5))
            #expect(try tx.keys.overdue(at: Make.at(5), limit: 9).map(\.id.text) == ["k-2"])
            try tx.keys.end(key())
            #expect(try tx.keys.live(of: Make.app).map(\.name) == ["server2"])
            #expect(try tx.keys.find(token: "llk_1")?.endedAt == Make.now)
            #expect(try tx.keys.all(of: Make.app).count == 2 && tx.keys.all(of: AppID(trusted: "x")).isEmpty)
        }
        #expect(try session(world)?.expiresAt == 0 && session(world)?.isKey == true)
        #expect(try session(world, 2)?.expiresAt == Make.at(5).milliseconds)
        try world.store.arrange(at: Make.at(1)) { (tx) throws in
            #expect(try tx.retention.delete(.apiKey, before: Make.now, limit: 9) == 0)
            #expect(try tx.retention.delete(.apiKey, before: Make.at(1), limit: 9) == 1)
        }
        #expect(try GateFile(world).tables.terminals[key().terminal.text] == nil)
    }

    @Test("Use is recorded once a minute")
    func seen() throws {
        let world = try world()
        try world.store.arrange(at: Make.now) { try $0.keys.add(key(), token: "llk_1") }
        for (seconds, seen) in [(0, 0), (59, 0), (60, 60)] as [(Int64, Int64)] {
            try world.store.arrange(at: Make.at(seconds)) { (tx) throws in
                try tx.keys.use("llk_1", of: try #require(try tx.keys.find(token: "llk_1")))
                #expect(try tx.keys.find(key().id)?.lastSeenAt == Make.at(seen))
            }
        }
    }
}
