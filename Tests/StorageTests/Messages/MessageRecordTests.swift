import Domain
import Testing

@testable import Storage

@Suite("Outcomes of messages")
struct MessageRecordTests {
    private static func record(_ id: String, at seconds: Int64 = 0) -> MessageRecord {
        MessageRecord(
            id: MessageID(trusted: id),
            channel: .email,
            address: "c•••@example.org",
            template: .code,
            app: Make.app,
            provider: "smtp",
            state: .failed,
            tries: 3,
            error: "no such box",
            createdAt: Make.at(seconds),
            endedAt: Make.at(seconds + 5)
        )
    }

    private func add(_ tx: Transaction, _ id: String, at seconds: Int64 = 0) throws {
        try tx.messageRecords.add(OutgoingMessageTests.message(id), Self.record(id, at: seconds))
    }

    @Test("A record is read as it was written, and no file contains an address or code") func kept() throws {
        let world = try World()

        try world.store.arrange(at: Make.now) { try add($0, "m-1") }

        let id = MessageID(trusted: "m-1")
        #expect(try world.store.read { try $0.messageRecords.find(id) } == Self.record("m-1"))
        #expect(try !world.holds("canary-address-51"))
        #expect(try !world.holds("canary-code-51"))
    }

    @Test("Pages follow one another without gaps and duplicates, even for messages with the same time")

    func pages() throws {
        let world = try World()
        try world.store.arrange(at: Make.now) { (tx) throws in
            for number in 0..<10 { try add(tx, "m-\(number)", at: Int64(number / 4)) }
        }

        var (place, seen) = (MessageRecordTable.Place.begin, [String]())
        while true {
            let page = try world.store.read { [place] tx in try tx.messageRecords.page(behind: place, limit: 3) }
            guard let last = page.last else { break }
            seen += page.map(\.id.text)
            place = .init(createdAt: last.createdAt, id: last.id.text)
        }

        #expect(seen == (0..<10).reversed().map { "m-\($0)" })
    }

    @Test("Records of messages that ended first are deleted first")
    func oldest() throws {
        let world = try World()
        try world.store.arrange(at: Make.now) { (tx) throws in
            for number in 0..<5 { try add(tx, "m-\(number)", at: Int64(number)) }
            let everything = Instant(milliseconds: .max)
            #expect(
                try tx.retention.delete(.messageRecord, before: everything, limit: 3) == 3
            )
        }

        let left = try world.store.read { try $0.messageRecords.page(behind: .begin, limit: 9) }
        #expect(left.map(\.id.text) == ["m-4", "m-3"])
    }

    @Test("A user's records are found only by address and app, and are deleted with the user")
    func ofUser() throws {
        let world = try World()
        var user = User(
            uid: Make.uid,
            app: Make.app,
            region: "r",
            countryCode: "49",
            nickname: "",
            isAnonymous: false,
            createdAt: Make.now
        )
        user.pendingEmail = EmailAddress("canary-address-51@example.org")
        let found = try world.store.arrange(at: Make.now) { (tx) throws in
            try add(tx, "m-1")
            var other = OutgoingMessageTests.message("m-2")
            other.to = "another@example.org"
            try tx.messageRecords.add(other, Self.record("m-2"))
            other = OutgoingMessageTests.message("m-3")
            other.app = AppID(trusted: "another")
            try tx.messageRecords.add(other, Self.record("m-3"))
            let found = try tx.messageRecords.records(of: user)
            try tx.messageRecords.forget(user)
            return found
        }

        #expect(found.map(\.id.text) == ["m-1"])
        let left = try world.store.read { try $0.messageRecords.page(behind: .begin, limit: 9) }
        #expect(left.map(\.id.text) == ["m-3", "m-2"])
    }
}

@Suite("When identity providers last worked")
struct ProviderUseTableTests {
    @Test("The last success and the last failure are stored for each app and provider")
    func kept() throws {
        let world = try World()
        let other = AppID(trusted: "another")
        func note(_ app: AppID, _ provider: String, at seconds: Int64, failure: String?) throws {
            try world.store.arrange(at: Make.at(seconds)) { tx in
                try tx.providerUses.note(provider, of: app, failure: failure)
            }
        }

        try note(Make.app, "email", at: 0, failure: nil)
        try note(Make.app, "email", at: 1, failure: "it answered 503")
        // A second failure within a minute is not recorded.
        try note(Make.app, "email", at: 2, failure: "it answered 504")
        try note(Make.app, "wechat", at: 3, failure: nil)
        try note(other, "email", at: 4, failure: nil)

        let uses = try world.store.read { try $0.providerUses.all(of: Make.app) }
        #expect(
            uses == [
                "email": ProviderUse(succeededAt: Make.at(0), failedAt: Make.at(1), failure: "it answered 503"),
                "wechat": ProviderUse(succeededAt: Make.at(3)),
            ]
        )
    }
}
