import Domain
import Synchronization
import Testing

@testable import Storage

@Suite("Outgoing messages")
struct OutgoingMessageTests {
    static func message(_ id: String = "m-1", expiresAt: Instant = Make.at(600)) -> OutgoingMessage {
        OutgoingMessage(
            id: MessageID(trusted: id),
            channel: .email,
            to: "canary-address-51@example.org",
            countryCode: "49",
            app: Make.app,
            template: .code,
            params: ["code": "canary-code-51", "purpose": "login"],
            language: "zh-CN",
            expiresAt: expiresAt,
            origin: .init(terminal: Make.terminal, app: Make.app, requestID: "r-1")
        )
    }

    @Test("A message is read as it was written, and no file contains it in clear") func sealed() throws {
        let world = try World()

        try world.store.arrange(at: Make.now) { try $0.outgoingMessages.add(Self.message()) }
        let due = try world.store.arrange(at: Make.now) {
            try $0.outgoingMessages.claim(.email, leaseSeconds: 60, limit: 10)
        }

        #expect(due.map(\.message) == [Self.message()])
        #expect(due.map(\.tries) == [1])
        #expect(try !world.holds("canary-address-51"))
        #expect(try !world.holds("canary-code-51"))
    }

    @Test("Many messages of one terminal don't delay others' messages")
    func turns() throws {
        let world = try World()
        try world.store.arrange(at: Make.now) { (tx) throws in
            for number in 0..<40 { try tx.outgoingMessages.add(Self.message("m-a\(number)")) }
        }
        try world.store.arrange(at: Make.at(1)) { (tx) throws in
            var other = Self.message("m-b")
            other.origin?.terminal = TerminalID(trusted: String(repeating: "e", count: 32))
            try tx.outgoingMessages.add(other)
        }

        let due = try world.store.arrange(at: Make.at(2)) {
            try $0.outgoingMessages.claim(.email, leaseSeconds: 60, limit: 8)
        }

        #expect(due.count == 8)
        #expect(due.contains { $0.message.id.text == "m-b" })
    }

    @Test("Messages waiting for a user's addresses are found, texts by number and country") func unsent() throws {
        let world = try World()
        var user = User(
            uid: Make.uid,
            app: Make.app,
            region: "r",
            countryCode: "49",
            nickname: "Lena",
            isAnonymous: false,
            createdAt: Make.now
        )
        user.email = EmailAddress("canary-address-51@example.org")
        user.phone = Phone("15112345678", countryCode: "49")
        func text(_ id: String, to number: String, in country: String) -> OutgoingMessage {
            var message = Self.message(id)
            (message.channel, message.to, message.countryCode) = (.sms, number, country)
            return message
        }
        let unsent = try world.store.arrange(at: Make.now) { (tx) throws in
            for message in [
                Self.message("m-mail"), text("m-text", to: "15112345678", in: "49"),
                text("m-abroad", to: "15112345678", in: "1"), text("m-another", to: "15112345679", in: "49"),
            ] { try tx.outgoingMessages.add(message) }
            return try tx.outgoingMessages.unsent(to: user)
        }

        #expect(Set(unsent.map(\.message.id.text)) == ["m-mail", "m-text"])
    }

    @Test("A claimed message is due again only after its lease has expired")
    func lease() throws {
        let world = try World()
        try world.store.arrange(at: Make.now) { try $0.outgoingMessages.add(Self.message()) }

        let tries = try [0, 59, 60, 90, 120].map { seconds in
            try world.store.arrange(at: Make.at(seconds)) {
                try $0.outgoingMessages.claim(.email, leaseSeconds: 60, limit: 10)
            }.map(\.tries)
        }

        #expect(tries == [[1], [], [2], [], [3]])
    }

    @Test("An expired message is removed once and never sent")
    func expiry() throws {
        let world = try World()
        try world.store.arrange(at: Make.now) {
            try $0.outgoingMessages.add(Self.message())
            try $0.outgoingMessages.add(Self.message("m-2", expiresAt: Make.at(1200)))
        }

        let (due, expired, again) = try world.store.arrange(at: Make.at(600)) {
            (
                try $0.outgoingMessages.claim(.email, leaseSeconds: 60, limit: 10),
                try $0.outgoingMessages.takeExpired(limit: 10), try $0.outgoingMessages.takeExpired(limit: 10)
            )
        }

        #expect(due.map(\.message.id.text) == ["m-2"])
        #expect(expired.map(\.message.id.text) == ["m-1"])
        #expect(again.isEmpty)
    }

    @Test("A message is deleted once")
    func settle() throws {
        let world = try World()
        try world.store.arrange(at: Make.now) { try $0.outgoingMessages.add(Self.message()) }

        let settled = try world.store.arrange(at: Make.now) { tx in
            [
                try tx.outgoingMessages.delete(MessageID(trusted: "m-1")),
                try tx.outgoingMessages.delete(MessageID(trusted: "m-1")),
            ]
        }

        #expect(settled == [true, false])
    }

    @Test("The wakeup follows only a commit that added a message")
    func wakeup() throws {
        let world = try World()
        let rings = Rings()
        world.store.onOutgoingMessage { rings.count.withLock { $0 += 1 } }

        try world.store.arrange(at: Make.now) { try $0.meta.set("a", to: "b") }
        try? world.store.arrange(at: Make.now) { tx in
            try tx.outgoingMessages.add(Self.message())
            throw CancellationError()
        }
        #expect(rings.count.withLock(\.self) == 0)

        try world.store.arrange(at: Make.now) { try $0.outgoingMessages.add(Self.message()) }
        #expect(rings.count.withLock(\.self) == 1)
    }
}

@Suite("Links in messages")
struct LinkTests {
    private func make(_ world: World, _ kind: Link.Kind = .resetPassword) throws -> String {
        try world.store.arrange(at: Make.now) {
            try $0.links.make(
                kind,
                uid: Make.uid,
                address: "canary-address-52@example.org",
                detail: ["field": "email"],
                expiresAt: Make.at(3600)
            )
        }
    }

    @Test("A link works once, for its purpose, until it expires")
    func once() throws {
        let world = try World()
        let token = try make(world)

        let tries = try world.store.arrange(at: Make.at(3599)) { tx in
            [
                try tx.links.use(.verifyEmail, token), try tx.links.use(.resetPassword, "x"),
                try tx.links.use(.resetPassword, token), try tx.links.use(.resetPassword, token),
            ]
        }

        #expect(tries.map { $0?.uid } == [nil, nil, Make.uid, nil])
        #expect(tries[2]?.address == "canary-address-52@example.org")
        #expect(tries[2]?.detail == ["field": "email"])
    }

    @Test("An expired or void link does nothing")
    func ended() throws {
        let world = try World()
        let (late, voided) = (try make(world), try make(world, .undoAddress))

        let used = try world.store.arrange(at: Make.at(3600)) { tx in try tx.links.use(.resetPassword, late) }
        let other = try world.store.arrange(at: Make.now) { tx in
            try tx.links.void(.undoAddress, of: Make.uid)
            return try tx.links.use(.undoAddress, voided)
        }

        #expect(used == nil)
        #expect(other == nil)
    }

    @Test("No file contains the token or the address in clear")
    func hashed() throws {
        let world = try World()

        let token = try make(world)

        #expect(token.utf8.count == 43)
        #expect(try !world.holds(token))
        #expect(try !world.holds("canary-address-52"))
    }

    @Test("Of a hundred concurrent uses, exactly one succeeds")
    func parallel() async throws {
        let world = try World()
        let token = try make(world)
        let store = world.store

        let successes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask { try store.arrange(at: Make.now) { try $0.links.use(.resetPassword, token) } != nil }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }

        #expect(successes == 1)
    }
}

/// The number of times that a sender was woken.
private final class Rings: Sendable {
    let count = Mutex(0)
}
