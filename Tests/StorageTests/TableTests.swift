import Domain
import JSON
import TestKit
import Testing
import Wire

@testable import Storage

@Suite("What is owed to the broker")
struct OutboxTests {
    @Test("Messages of every shape come back as they were", arguments: [false, true])
    func roundTrip(_ isSecret: Bool) throws {
        let messages = [
            Make.message(), OutboundMessage("", []),
            OutboundMessage("a/é", [0, 255], isRetained: true),
            OutboundMessage("b", [1], expiresAt: Instant(milliseconds: 0)),
            OutboundMessage("c", [], expiresAt: .max),
            OutboundMessage("d", [1], correlation: []),
            OutboundMessage("e", [1], correlation: [1, 2, 3]),
            OutboundMessage(
                "f",
                [UInt8](repeating: 7, count: 70_000),
                isRetained: true,
                expiresAt: Instant(milliseconds: 1_700_000_000_123),
                correlation: [9]
            ),
        ]
        let world = try World()
        let row = try world.store.batch(at: Make.now) { (tx) throws in
            try tx.outbox.add(messages, by: "status", isSecret: isSecret)
        }
        let entries = try world.store.read { try $0.outbox.owed(by: "status", limit: 10) }
        #expect(entries.map(\.id) == [row])
        #expect(entries.first?.messages == messages)
    }

    @Test("A cut row never traps")
    func cut() {
        let bytes = OutboxCodec.encode([
            Make.message("topic", "payload"), Make.message("other", "more"),
        ])
        for count in 0..<bytes.count { _ = OutboxCodec.decode(Array(bytes.prefix(count))) }
        _ = OutboxCodec.decode([UInt8](repeating: 255, count: 64))
    }

    @Test("A sealed row leaves no clear text in any file, an open one does")
    func sealed() throws {
        let world = try World()
        try world.store.batch(at: Make.now) { (tx) throws in
            _ = try tx.outbox.add(
                [Make.message("t", "canary-sealed-93")],
                by: "account",
                isSecret: true
            )
            _ = try tx.outbox.add(
                [Make.message("t", "canary-open-93")],
                by: "account",
                isSecret: false
            )
            try tx.requests.save(
                "terminal",
                MessageID(trusted: "q"),
                content: [1],
                answer: Array("canary-answer-93".utf8),
                isSecret: true
            )
        }
        try world.store.checkpoint()
        #expect(try !world.holds("canary-sealed-93"))
        #expect(try !world.holds("canary-answer-93"))
        #expect(try world.holds("canary-open-93"))
        let known = try world.store.read {
            try $0.requests.find("terminal", MessageID(trusted: "q"))
        }
        #expect(known?.answer == Array("canary-answer-93".utf8))
    }

    @Test("Rows come oldest first, each worker's own, until they are settled")
    func order() throws {
        let world = try World()
        var rows: [Int64] = []
        for number in 0..<5 {
            // The clock stands still, then falls back: the rows ascend all the same.
            rows.append(
                try world.store.batch(at: Make.at(number > 2 ? -10 : 0)) { (tx) throws in
                    _ = try tx.outbox.add([Make.message()], by: "other", isSecret: false)
                    return try tx.outbox.add(
                        [Make.message("\(number)")],
                        by: "status",
                        isSecret: false
                    )
                }
            )
        }
        #expect(rows == rows.sorted() && Set(rows).count == 5)
        let owed = try world.store.read { try $0.outbox.owed(by: "status", limit: 10) }
        #expect(owed.map(\.id) == rows)
        try world.store.batch(at: Make.now) { try $0.outbox.settle([rows[0], rows[2]]) }
        let left = try world.store.read { (tx) throws in
            (
                try tx.outbox.owed(by: "status", limit: 10), try tx.outbox.depth(of: "status"),
                try tx.outbox.depth(of: "other")
            )
        }
        #expect(left.0.map(\.id) == [rows[1], rows[3], rows[4]] && left.1 == 3 && left.2 == 5)
    }
}

@Suite("Ids that took effect")
struct InboxTests {
    private func key(_ id: String) -> InboxKey { InboxKey(did: Make.did, id: id) }

    @Test("A claimed key is found with its version, a second claim fails")
    func claim() throws {
        let world = try World()
        try world.store.batch(at: Make.now) { try $0.inbox.add([(key("a"), 3), (key("b"), 4)]) }
        var found: [Int: Int64] = [:]
        try world.store.read { (tx) throws in
            try tx.inbox.find([key("x"), key("b"), key("a")]) { found[$0] = $1 }
        }
        #expect(found == [1: 4, 2: 3])
        #expect(throws: (any Error).self) {
            try world.store.batch(at: Make.now) { try $0.inbox.add([(key("a"), 9)]) }
        }
    }

    @Test("Old keys are forgotten in steps, and a device keeps its newest")
    func prune() throws {
        let world = try World()
        for number in 0..<10 {
            try world.store.batch(at: Make.at(Int64(number))) {
                try $0.inbox.add([(key("k\(number)"), 1)])
            }
        }
        try world.store.batch(at: Make.at(10)) { (tx) throws in
            #expect(try tx.inbox.prune(before: Make.at(4), limit: 3) == 3)
            #expect(try tx.inbox.prune(before: Make.at(4), limit: 3) == 1)
            #expect(try tx.inbox.crowded(over: 5) == [Make.did])
            try tx.inbox.prune(Make.did, keeping: 2)
            var found: [Int] = []
            try tx.inbox.find((0..<10).map { key("k\($0)") }) { place, _ in found.append(place) }
            #expect(found == [8, 9])
        }
    }
}

@Suite("Requests, dead letters and tries")
struct SmallTableTests {
    @Test("A request is known with its answer until it is pruned")
    func requests() throws {
        let world = try World()
        let id = MessageID(trusted: "q")
        try world.store.batch(at: Make.now) { (tx) throws in
            try tx.requests.save(
                "t",
                id,
                content: [1],
                answer: nil,
                isSecret: false,
                waitsFor: (Make.did, 7)
            )
            let waiting = try #require(try tx.requests.find("t", id))
            #expect(waiting.waitsFor?.cid == 7 && waiting.answer == nil)
            try tx.requests.complete("t", id, answer: [9])
            let done = try #require(try tx.requests.find("t", id))
            #expect(done.answer == [9] && done.waitsFor == nil && done.content == [1])
            #expect(try tx.requests.find("other", id) == nil)
        }
        try world.store.batch(at: Make.at(1)) { (tx) throws in
            #expect(try tx.requests.prune(before: Make.now, limit: 5) == 0)
            #expect(try tx.requests.prune(before: Make.at(1), limit: 5) == 1)
        }
    }

    @Test("Only the newest dead letters are kept")
    func deadLetters() throws {
        let world = try World()
        func letter(
            _ number: Int
        ) -> (topic: String, payload: [UInt8], isShapeOnly: Bool, reason: String) {
            ("t/\(number)\0", [UInt8(number % 256)], false, "r")
        }
        try world.store.batch(at: Make.now) { (tx) throws in
            _ = try tx.deadLetters.add((0..<8).map(letter), worker: "status", keeping: 10)
            _ = try tx.deadLetters.add((8..<15).map(letter), worker: "status", keeping: 10)
        }
        let letters = try world.store.read { try $0.deadLetters.page(limit: 100) }
        #expect(letters.map(\.topic) == (5..<15).reversed().map { "t/\($0)" })
        let second = try world.store.read {
            try $0.deadLetters.page(before: letters[1].id, limit: 3)
        }
        #expect(second.map(\.topic) == ["t/12", "t/11", "t/10"])
        try world.store.batch(at: Make.now) { (tx) throws in
            #expect(try tx.deadLetters.drop(letters[0].id))
            #expect(try !tx.deadLetters.drop(letters[0].id))
            #expect(try tx.deadLetters.find(letters[1].id)?.topic == "t/13")
            #expect(try tx.deadLetters.dropAll() == 9)
            #expect(try tx.deadLetters.count() == 0)
        }
    }

    @Test("Tries count within their window and begin anew after it")
    func attempts() throws {
        let world = try World()
        func retry(_ seconds: Int64) throws -> Int64? {
            try world.store.batch(at: Make.at(seconds)) {
                try $0.attempts.retryAfter("s", max: 3, windowSeconds: 900)
            }
        }
        for seconds in [0, 100, 200] as [Int64] {
            #expect(try retry(seconds) == nil)
            try world.store.batch(at: Make.at(seconds)) {
                try $0.attempts.add("s", windowSeconds: 900)
            }
        }
        #expect(try retry(200) == 700)
        #expect(try retry(899) == 1)
        #expect(try retry(900) == nil)
        try world.store.batch(at: Make.at(900)) { try $0.attempts.add("s", windowSeconds: 900) }
        #expect(try retry(901) == nil)
        for _ in 0..<2 {
            try world.store.batch(at: Make.at(902)) { try $0.attempts.add("s", windowSeconds: 900) }
        }
        #expect(try retry(903) == 897)
        try world.store.batch(at: Make.at(904)) { try $0.attempts.clear("s") }
        #expect(try retry(905) == nil)
    }
}

@Suite("Devices and what they are")
struct DeviceTableTests {
    @Test("A status comes back as it was saved")
    func status() throws {
        let world = try World()
        try world.fill()
        var status = Status(ts: Make.at(5))
        status.version = 42
        status.attributes = [
            .init(name: "level", value: 5, ts: Make.at(1)),
            .init(name: "é\"\\", value: ["x": [.null]], ts: Make.at(2)),
            .init(name: "d", value: .double(0.1), ts: .max),
        ]
        status.open = [
            .init(kind: .alert, name: "a", eventID: "e-1", ts: Make.at(4)),
            .init(kind: .fault, name: "\"", eventID: "e-2"),
        ]
        status.cleared = [.init(kind: .fault, name: "a", ts: Make.at(6))]
        status.presence.isOnline = true
        status.presence.isAlive = true
        status.presence.connection = 7
        status.presence.session = "s"
        status.presence.changedAt = Make.at(3)
        let record = StatusRecord(did: Make.did, productKey: Make.key, status: status)
        try world.store.batch(at: Make.now) { try $0.statuses.save([record]) }
        let found = try world.store.read { try $0.statuses.find(Make.did) }
        #expect(found?.status == status)
    }

    @Test("Conditions that an earlier version stored, without a time, are read")
    func timelessConditions() throws {
        let world = try World()
        try world.fill()
        try world.store.batch(at: Make.now) { (tx) throws in
            try tx.statuses.save([
                StatusRecord(did: Make.did, productKey: Make.key, status: Status(ts: Make.at(5)))
            ])
            try tx.sql.run("UPDATE status SET conditions = '[[\"alert\",\"a\",\"e-1\"]]'")
        }
        let found = try world.store.read { try $0.statuses.find(Make.did) }
        #expect(found?.status.open == [.init(kind: .alert, name: "a", eventID: "e-1")])
    }

    @Test("Command numbers of a device ascend by one and never repeat")
    func commandNumbers() throws {
        let world = try World()
        try world.fill()
        let first = try world.store.batch(at: Make.now) { (tx) throws in
            try (0..<3).map { _ in try tx.devices.nextCommandID(Make.did) }
        }
        let next = try world.store.batch(at: Make.now) { try $0.devices.nextCommandID(Make.did) }
        #expect(first == [1, 2, 3] && next == 4)
    }

    @Test("Neither secrets nor passcodes are in any file")
    func secrets() throws {
        let world = try World()
        try world.fill()
        try world.store.batch(at: Make.now) { (tx) throws in
            try tx.devices.setIdentity(
                Make.did,
                secret: "canary-secret-71",
                passcode: "canary-pass-71",
                hardware: [:]
            )
        }
        try world.store.checkpoint()
        #expect(try !world.holds("canary-secret-71") && !world.holds("canary-pass-71"))
        try world.store.read { (tx) throws in
            let device = try #require(try tx.devices.find(Make.did))
            #expect(
                tx.devices.hasSecret(device, "canary-secret-71")
                    && !tx.devices.hasSecret(device, "x")
            )
            #expect(
                tx.devices.hasPasscode(device, "canary-pass-71")
                    && !tx.devices.hasPasscode(device, "x")
            )
            #expect(!tx.devices.hasPasscode(nil, "canary-pass-71"))
        }
    }

    @Test("Refreshes are taken once, in order, and asked for every subscribed bond at once")
    func refreshes() throws {
        let world = try World()
        try world.fill()
        try world.store.batch(at: Make.now) { (tx) throws in
            for (name, isSubscribed) in [("u-a", true), ("u-b", false), ("u-c", true)] {
                try tx.bindings.insert(
                    Binding(
                        did: Make.did,
                        uid: UserID(trusted: name),
                        app: Make.app,
                        role: .normal,
                        isSubscribed: isSubscribed,
                        boundAt: Make.now
                    )
                )
            }
            try tx.refreshes.add([Refresh(did: Make.did, uid: UserID(trusted: "u-c"))])
            try tx.refreshes.addAll()
            #expect(try tx.refreshes.take(limit: 1).map(\.uid.text) == ["u-a"])
            #expect(try tx.refreshes.take(limit: 5).map(\.uid.text) == ["u-c"])
            #expect(try !tx.refreshes.isWaiting())
        }
    }
}
