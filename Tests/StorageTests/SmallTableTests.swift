import Batching
import Domain
import JSON
import Testing

@testable import Storage

@Suite("Requests, dead letters and tries")
struct SmallTableTests {
    @Test("A request is found with its answer until it is deleted")
    func requests() throws {
        let world = try World()
        let id = MessageID(trusted: "q")
        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.requests.save("t", id, content: [1], answer: nil, isSecret: false, waitsFor: (Make.did, 7))
            let waiting = try #require(try tx.requests.find("t", id))
            #expect(waiting.waitsFor?.cid == 7 && waiting.answer == nil)
            for (cid, isDone) in [(6, false), (7, true), (7, true)] as [(Int64, Bool)] {
                try tx.requests.complete("t", id, waitsFor: (Make.did, cid), answer: [9])
                #expect((try tx.requests.find("t", id)?.answer == [9]) == isDone)
            }
            let done = try #require(try tx.requests.find("t", id))
            #expect(done.answer == [9] && done.waitsFor == nil && done.content == [1])
            #expect(try tx.requests.find("other", id) == nil)
        }
        try world.store.arrange(at: Make.at(1)) { (tx) throws in
            #expect(try tx.retention.delete(.request, before: Make.now, limit: 5) == 0)
            #expect(try tx.retention.delete(.request, before: Make.at(1), limit: 5) == 1)
        }
    }

    @Test("The refusal of a request with an absent worker is stored, unless the request took effect")

    func turnedAway() throws {
        let world = try World()
        let (done, read, new) = (MessageID(trusted: "d"), MessageID(trusted: "r"), MessageID(trusted: "n"))
        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.requests.save("t-ab", done, content: [1], answer: [9], isSecret: false)
            try tx.requests.save("t-ab", read, content: [1], answer: nil, isSecret: false)
            let outcomes = try [done, read, new].map { id in
                try tx.requests.keepRefusal("t-ab", id, content: [1], answer: [7])
            }
            #expect(outcomes == [false, true, true])
            #expect(try tx.requests.find("t-ab", done)?.answer == [9])
            #expect(try tx.requests.find("t-ab", read)?.turnedAway == 1)
            #expect(try !tx.requests.keepRefusal("t-ab", new, content: [1], answer: [7]))

            let lanes = [0, 1].map { Shards(lane: $0, of: 2) }
            for shards in lanes where !shards.names.contains("ab") { try tx.requests.forgetTurnedAway(of: shards) }
            #expect(try tx.requests.find("t-ab", new)?.turnedAway == 1)
            for shards in lanes { try tx.requests.forgetTurnedAway(of: shards) }
            #expect(try tx.requests.find("t-ab", new) == nil)
            #expect(try tx.requests.find("t-ab", done)?.answer == [9])
        }
    }

    @Test("A window that began by a clock since set back is over")
    func triesBefore() throws {
        let world = try World()
        let limit = AttemptTable.Limit("s", max: 1, windowSeconds: 60)
        func take(at now: Instant) throws -> Int64? {
            try world.store.arrange(at: now) { try $0.attempts.take([limit]) }
        }
        #expect(try take(at: Make.at(86_400)) == nil)
        #expect(try take(at: Make.at(86_400)) == 60)
        // The limit's time window continues if the clock is set back by one second. The clocks of two machines can
        // differ by a second.
        #expect(try take(at: Make.at(86_399)) == 61)
        #expect(try take(at: Make.now) == nil)
        #expect(try take(at: Make.now) == 60)
        try world.store.arrange(at: Make.at(-3600)) { (tx) throws in
            #expect(try tx.attempts.retryAfter("s", max: 1, windowSeconds: 60) == nil)
            #expect(try tx.attempts.add("s", windowSeconds: 60) == 1)
        }
    }

    @Test("Only the newest dead letters are stored")
    func deadLetters() throws {
        let world = try World()
        func letter(_ number: Int) -> (topic: String, payload: [UInt8], isShapeOnly: Bool, reason: String) {
            ("t/\(number)\0", [UInt8(number % 256)], false, "r")
        }
        try world.store.arrange(at: Make.now) { (tx) throws in
            _ = try tx.deadLetters.add((0..<8).map(letter), worker: "status", keeping: 10)
            _ = try tx.deadLetters.add((8..<15).map(letter), worker: "status", keeping: 10)
        }
        let letters = try world.store.read { try $0.deadLetters.page(limit: 100) }
        #expect(letters.map(\.topic) == (5..<15).reversed().map { "t/\($0)" })
        let second = try world.store.read { try $0.deadLetters.page(before: letters[1].id, limit: 3) }
        #expect(second.map(\.topic) == ["t/12", "t/11", "t/10"])
        try world.store.arrange(at: Make.now) { (tx) throws in
            #expect(try tx.deadLetters.drop(letters[0].id))
            #expect(try !tx.deadLetters.drop(letters[0].id))
            #expect(try tx.deadLetters.find(letters[1].id)?.topic == "t/13")
            #expect(try tx.deadLetters.dropAll() == 9)
            #expect(try tx.deadLetters.count() == 0)
        }
    }

    @Test("The id of a deleted dead letter is never used again")
    func deadLetterIDs() throws {
        let world = try World()
        func add() throws -> [Int64] {
            try world.store.arrange(at: Make.now) {
                try $0.deadLetters.add([("t", [1], false, "r")], worker: "status", keeping: 10)
            }
        }
        #expect(try add() == [1])
        #expect(try add() == [2])

        let isDropped = try world.store.arrange(at: Make.now) { try $0.deadLetters.drop(2) }
        #expect(isDropped)
        #expect(try add() == [3])

        let count = try world.store.arrange(at: Make.now) { try $0.deadLetters.dropAll() }
        #expect(count == 2)
        #expect(try add() == [4])
        #expect(try world.store.read { try $0.deadLetters.page(limit: 9) }.map(\.id) == [4])
    }

    @Test("A try that one of several limits refuses counts towards none of them") func severalLimits() throws {
        let world = try World()
        func take(_ seconds: Int64, _ limits: (subject: String, max: Int)...) throws -> Int64? {
            try world.store.arrange(at: Make.at(seconds)) { tx in
                try tx.attempts.take(limits.map { .init($0.subject, max: $0.max, windowSeconds: 900) })
            }
        }
        #expect(try take(0, ("many", 3), ("one", 1)) == nil)
        #expect(try take(100, ("many", 3), ("one", 1)) == 800)
        #expect(try take(200, ("many", 3)) == nil)
        #expect(try take(300, ("many", 3)) == nil)
        #expect(try take(400, ("many", 3)) == 500)
        #expect(try take(400, ("other", 1), ("many", 3)) == 500)
        #expect(try take(500, ("other", 1)) == nil)
        #expect(try take(900, ("many", 3), ("one", 1)) == nil)
    }

    @Test("Tries count within their window, and start over after it")
    func attempts() throws {
        let world = try World()
        func retry(_ seconds: Int64) throws -> Int64? {
            try world.store.arrange(at: Make.at(seconds)) {
                try $0.attempts.retryAfter("s", max: 3, windowSeconds: 900)
            }
        }
        for seconds in [0, 100, 200] as [Int64] {
            #expect(try retry(seconds) == nil)
            try world.store.arrange(at: Make.at(seconds)) { _ = try $0.attempts.add("s", windowSeconds: 900) }
        }
        #expect(try retry(200) == 700)
        #expect(try retry(899) == 1)
        #expect(try retry(900) == nil)
        try world.store.arrange(at: Make.at(900)) { _ = try $0.attempts.add("s", windowSeconds: 900) }
        #expect(try retry(901) == nil)
        for _ in 0..<2 {
            try world.store.arrange(at: Make.at(902)) { _ = try $0.attempts.add("s", windowSeconds: 900) }
        }
        #expect(try retry(903) == 897)
        try world.store.arrange(at: Make.at(904)) { try $0.attempts.clear("s") }
        #expect(try retry(905) == nil)
    }
}
