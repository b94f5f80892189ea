import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("Unknown methods")
struct UnknownMethodTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var isNamed: Bool
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "account/noSuchThing", isNamed: true),
        Case(name: "account/Z", isNamed: true),
        Case(name: "account/" + String(repeating: "a", count: 32), isNamed: true),
        Case(name: "account/" + String(repeating: "a", count: 33), isNamed: false),
        Case(name: "account/canary-1234", isNamed: false),
        Case(name: "account/canary1", isNamed: false),
        Case(name: "account/canary/bind", isNamed: false),
        Case(name: "account/canary\u{301}", isNamed: false),
        Case(name: "account/", isNamed: false),
    ]

    @Test("An unknown method is named only if it looks like a method, and stored nowhere", arguments: cases) func named(
        _ row: Case
    ) throws {
        let world = try AccountWorld()
        world.send(0, row.name, [:], id: "q")
        let answer = try #require(try world.answers(0).last)
        #expect(answer.errorCode == "InvalidRequest")
        let message = answer["error"]?.objectValue?["message"]?.stringValue ?? ""
        #expect(
            message.utf8.split(separator: UInt8(ascii: " ")).contains { $0.starts(with: row.name.utf8) } == row.isNamed
        )
        #expect(try world.world.count("request") == 0)
    }

    @Test("An invalid message with such a name is stored without the name")
    func deadLetter() throws {
        let world = try AccountWorld()
        let place = "ll/v1/app/demo/\(World.terminal(0).text)/request"
        world.world.broker.send("\(place)/account/canary-1/more/levels", text: "no json")
        world.world.broker.send("\(place)/account/login", text: "no json")
        _ = try world.answers(0)
        let topics = try world.world.read { try $0.deadLetters.page(limit: 9).map(\.topic) }
        #expect(topics == ["\(place)/account/login", "\(place)/account/*"])
    }

    @Test(
        "A topic is shown unchanged except for the method's part",
        arguments: [
            ("ll/v1/device/d-1/report", "ll/v1/device/d-1/report"),
            ("ll/v1/app/a/t/request/device/bind", "ll/v1/app/a/t/request/device/bind"),
            ("ll/v1/app/a/t/request/s3cret/bind", "ll/v1/app/a/t/request/*/bind"),
            ("ll/v1/app/a/t/request", "ll/v1/app/a/t/request"),
            ("request/x1/device/d-1/report", "request/x1/device/d-1/report"),
        ]
    )
    func shown(_ topic: String, _ wanted: String) {
        #expect(Topics.shown(Array(topic.utf8)[...]) == wanted)
    }
}

@Suite("Limits of tables")
struct RowBoundsTests {
    @Test("Dead letters beyond the size limit are deleted, the oldest first")
    func letters() throws {
        let world = try World()
        world.environment.limits.counts.deadLetterBytesMax = 10_000
        try world.write { (tx) throws in
            let letter = { (number: Int) in
                (topic: "t\(number)", payload: [UInt8](repeating: 7, count: 1000), isShapeOnly: false, reason: "bad")
            }
            _ = try tx.deadLetters.add((0..<20).map(letter), worker: "status", keeping: 10_000)
        }
        var bound = DeadLetterBound(world.environment)
        _ = try bound.step()
        let left = try world.read { try $0.deadLetters.page(limit: 99).map(\.topic) }
        #expect(left == (11..<20).reversed().map { "t\($0)" })
    }

    @Test("Counts beyond the row limit are deleted, those that end first before others")
    func counts() throws {
        let world = try World()
        world.environment.limits.counts.rowsMax = 5
        try world.write { (tx) throws in
            for number in 0..<9 { try tx.attempts.add("s\(number)", windowSeconds: 60 * Int64(9 - number)) }
        }
        let bound = ExcessRows.attempts(world.environment)
        while try bound.step() {}
        let left = try world.read { tx in
            try tx.sql.query("SELECT subject FROM attempt ORDER BY subject") { $0.next(String.self) }
        }
        #expect(left == (0..<5).map { "s\($0)" })
    }

    @Test("Remembered requests beyond the row limit are deleted, the oldest first")
    func requests() throws {
        let world = try World()
        world.environment.limits.counts.requestRowsMax = 4
        world.environment.limits.sweepStep = 2
        try world.write { (tx) throws in
            for number in 0..<9 {
                try tx.requests.save("t", MessageID(trusted: "q\(number)"), content: [1], answer: nil, isSecret: false)
            }
        }
        var bound = RequestBound(world.environment)
        while try bound.step() {}
        let left = try world.read { tx in
            try tx.sql.query("SELECT id FROM request ORDER BY id") { $0.next(String.self) }
        }
        #expect(left == (5..<9).map { "q\($0)" })
    }

    @Test("Remembered requests beyond the size limit are deleted, the oldest first", arguments: [1, 2, 3, 100])
    func requestBytes(
        step: Int
    ) throws {
        let world = try World()
        world.environment.limits.counts.requestBytesMax = 4200
        world.environment.limits.sweepStep = step
        var bound = RequestBound(world.environment)
        for round in 0..<3 {
            try world.write { (tx) throws in for number in 0..<9 { try save(tx, "q\(round)\(number)", bytes: 1000) } }
            while try bound.step() {}

            let left = try ids(world)
            // Rows are deleted in whole pages, so up to `step - 1` extra rows are deleted.
            #expect((max(0, 5 - step)...4).contains(left.count), "\(left)")
            #expect(left == (0..<9).suffix(left.count).map { "q\(round)\($0)" })
        }
    }

    @Test(
        "Small requests are limited by rows alone, and an emptied table is measured from its beginning"
    )
    func requestBytesAnew() throws {
        let world = try World()
        world.environment.limits.counts.requestBytesMax = 4200
        world.environment.limits.sweepStep = 1
        var bound = RequestBound(world.environment)
        try world.write { (tx) throws in for number in 0..<40 { try save(tx, "s\(number + 10)", bytes: 10) } }
        while try bound.step() {}
        #expect(try ids(world).count == 40)

        try world.write { (tx) throws in try tx.requests.drop(upTo: .max) }
        try world.write { (tx) throws in for number in 0..<9 { try save(tx, "t\(number)", bytes: 1000) } }
        while try bound.step() {}
        #expect(try ids(world) == (5..<9).map { "t\($0)" })
    }

    @Test("An answer that comes later counts as well")
    func requestBytesLater() throws {
        let world = try World()
        world.environment.limits.counts.requestBytesMax = 4200
        world.environment.limits.sweepStep = 1
        var bound = RequestBound(world.environment)
        let did = DeviceID(trusted: "d-1")
        try world.write { (tx) throws in
            for number in 0..<9 { try save(tx, "w\(number)", bytes: 0, waitsFor: (did, Int64(number))) }
        }
        while try bound.step() {}
        #expect(try ids(world).count == 9)

        try world.write { (tx) throws in
            for number in 0..<9 {
                try tx.requests.complete(
                    "t",
                    MessageID(trusted: "w\(number)"),
                    waitsFor: (did, Int64(number)),
                    answer: Array(repeating: 1, count: 1000)
                )
            }
        }
        while try bound.step() {}
        #expect(try ids(world) == (5..<9).map { "w\($0)" })
    }

    private func save(_ tx: Transaction, _ id: String, bytes: Int, waitsFor: (did: DeviceID, cid: Int64)? = nil) throws
    {
        try tx.requests.save(
            "t",
            MessageID(trusted: id),
            content: [1],
            answer: waitsFor == nil ? Array(repeating: 1, count: bytes) : nil,
            isSecret: false,
            waitsFor: waitsFor
        )
    }

    private func ids(_ world: World) throws -> [String] {
        try world.read { tx in try tx.sql.query("SELECT id FROM request ORDER BY id") { $0.next(String.self) } }
    }

    @Test("A count is deleted when its own window is over")
    func windows() throws {
        let world = try World()
        try world.write { (tx) throws in
            try tx.attempts.add("short", windowSeconds: 60)
            try tx.attempts.add("long", windowSeconds: 3600)
        }
        world.clock.advance(seconds: 61)
        let now = world.clock.now
        let gone = try world.write { try $0.retention.delete(.attempt, before: now, limit: 10) }
        #expect(gone == 1)
        #expect(try world.read { try $0.attempts.count() } == 1)
    }
}
