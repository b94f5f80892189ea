import Domain
import JSON
import Storage
import StoreTestKit
import Synchronization
import TestKit
import Testing
import Wire

@testable import Workers

@Suite("Slow work")
struct BackgroundTests {
    private let pool = FakePool()

    private func world() throws -> World {
        let world = try World()
        try world.makeUsers(2)
        world.environment.pool = pool
        return world
    }

    /// Returns a handler with one method, which counts its calls and returns the hash of the sent password.
    ///
    /// Two passwords are exceptions. `free` is neither counted nor hashed, and `commit` is counted but not hashed.
    private func handler(_ environment: Environment) -> RequestHandler {
        var method = Method { (call: inout Call) -> Reply in
            var result: JSONObject = [:]
            if let hash = call.prepared.hash { result["hash"] = .string(hash) }
            return .result(result)
        }
        method.prepare = { (call: inout Call) -> BackgroundTask? in
            let password = try call.fields.requiredText("password", length: 1...20)
            if password == "free" { return nil }
            try call.tx.attempts.add("slow", windowSeconds: 900)
            return password == "commit" ? .commit : .hash(SecretBytes(Array(password.utf8)))
        }
        return RequestHandler(.account, methods: ["account/slow": method], environment)
    }

    private func ask(_ world: World, id: String, _ password: String = "secret") {
        world.sendRequest(0, "account/slow", id: id, ["password": .string(password)])
    }

    private func hash(_ answer: JSONObject?) -> JSONValue? { answer?["result"]?.objectValue?["hash"] }

    private func tries(_ world: World) throws -> Int64? {
        try world.read { try $0.sql.integer("SELECT count FROM attempt WHERE subject = 'slow'") }
    }

    @Test("The work runs after the commit, and a later transaction answers") func path() throws {
        let world = try world()
        pool.isHeld = true
        ask(world, id: "q1")
        var loop = try world.loop(handler(world.environment))
        try loop.turn()

        #expect(world.broker.acknowledged == 1 && world.answers().isEmpty)
        #expect(try tries(world) == 1)
        #expect(try loop.isAwaiting == true)

        pool.release()
        try world.settle(&loop)
        #expect(hash(world.answers().first) == "plain:secret")
        #expect(try loop.isAwaiting == false)
    }

    @Test("A request without slow work is answered in its own transaction") func nothingInBackground() throws {
        let world = try world()
        ask(world, id: "q1", "free")
        try world.run(handler)
        #expect(world.answers().map(\.isOK) == [true])
        #expect(pool.journal.isEmpty)
    }

    @Test(
        "Work that only requires a commit is done in the next transaction",
        .onlyInOneTransaction
    )
    func commitFirst() throws {
        let world = try world()
        pool.room = 0
        ask(world, id: "q1", "commit")
        var loop = try world.loop(handler(world.environment))
        try loop.turn()
        #expect(world.answers().isEmpty)
        #expect(try tries(world) == 1)
        try world.settle(&loop)
        #expect(world.answers().map(\.isOK) == [true])
    }

    @Test("Repeats of a waiting request join it, and all get the same answer")
    func repeats() throws {
        let world = try world()
        pool.isHeld = true
        for _ in 0..<2 { ask(world, id: "q1") }
        var loop = try world.loop(handler(world.environment))
        try loop.turn()
        ask(world, id: "q1")
        try loop.turn()
        pool.release()
        try world.settle(&loop)
        ask(world, id: "q1")
        try world.settle(&loop)

        #expect(pool.journal.count == 1)
        #expect(world.answers().count == 4)
        #expect(world.answers().allSatisfy { $0 == world.answers().first && $0.isOK })
    }

    @Test("The id of a waiting request can't be used for another request")
    func otherContent() throws {
        let world = try world()
        pool.isHeld = true
        ask(world, id: "q1")
        ask(world, id: "q1", "other")
        var loop = try world.loop(handler(world.environment))
        try loop.turn()
        pool.release()
        try world.settle(&loop)
        #expect(world.answers().map(\.errorField) == ["id", nil])
        #expect(pool.journal.count == 1)
    }

    @Test("A token that ended during the work is refused")
    func tokenAgain() throws {
        let world = try world()
        pool.isHeld = true
        ask(world, id: "q1")
        var loop = try world.loop(handler(world.environment))
        try loop.turn()
        try world.write { (tx) throws in
            guard var session = try tx.sessions.find(SessionID(trusted: "s-0")) else { return }
            try tx.sessions.end(&session, .terminated)
        }
        pool.release()
        try world.settle(&loop)
        #expect(world.answers().map(\.errorCode) == ["InvalidToken"])
    }

    @Test(
        "A full queue refuses requests with a time to try again, and counts nothing",
        .onlyInOneTransaction
    )
    func full() throws {
        let world = try world()
        pool.room = 1
        pool.isHeld = true
        for id in ["q1", "q2"] { ask(world, id: id) }
        var loop = try world.loop(handler(world.environment))
        try loop.turn()
        #expect(world.answers().map(\.errorCode) == ["Unavailable"])
        #expect(world.answers().first?["error"]?.objectValue?["retryAfter"]?.intValue != nil)
        #expect(try tries(world) == 1)

        pool.room = 10
        ask(world, id: "q2")
        try loop.turn()
        pool.release()
        try world.settle(&loop)
        #expect(world.answers().map(\.isOK) == [false, true, true])
    }

    @Test("Waiting requests are lost with the connection, and answered when they are repeated")

    func lostConnection() throws {
        let world = try world()
        pool.isHeld = true
        ask(world, id: "q1")
        do {
            var loop = try world.loop(handler(world.environment))
            try loop.turn()
        }
        var loop = try world.loop(handler(world.environment))
        pool.release()
        try world.settle(&loop)
        #expect(world.answers().isEmpty)
        pool.isHeld = false
        ask(world, id: "q1")
        try world.settle(&loop)
        #expect(world.answers().map(\.isOK) == [true])
    }
}

extension Dictionary where Key == String, Value == JSONValue? {
    fileprivate var compacted: JSONObject { JSONObject(map { ($0.key, $0.value) }) }
}
