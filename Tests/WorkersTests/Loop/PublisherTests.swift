import Domain
import Mosquitto
import Testing

@testable import Workers

@Suite("Publishing the outbox")
struct PublisherTests {
    private let now = Instant(milliseconds: 1_000)

    private func limits(fanOutMin: Int = 3, fanOutWindow: Int = 2) -> Limits {
        var limits = Limits()
        limits.fanOutMin = fanOutMin
        limits.fanOutWindow = fanOutWindow
        limits.fanOutPause = 0
        return limits
    }

    private func publisher(_ limits: Limits) -> Publisher {
        var publisher = Publisher(worker: "status", limits: limits, confirmedRows: [])
        publisher.enqueue(stored: [])
        return publisher
    }

    /// Returns one message for each user of a range, all with the same payload.
    private func fanOut(_ users: Range<Int>, _ payload: String) -> [OutboundMessage] {
        users.map { OutboundMessage("user/\($0)", Array(payload.utf8)) }
    }

    /// Publishes and confirms all messages, and returns them in the order of publication.
    private func drain(_ publisher: inout Publisher, _ broker: Broker) throws -> [String] {
        var connection = FakeBroker(broker)
        _ = try connection.connect()
        while publisher.backlog > 0 {
            _ = try publisher.publish(to: &connection, at: now)
            try confirmAll(&publisher, &connection)
        }
        return broker.published.map { "\($0.topic) \(String(decoding: $0.payload, as: UTF8.self))" }
    }

    @Test("Messages after a large fan-out overtake it, and each row is confirmed")
    func passing() throws {
        var publisher = publisher(limits())
        publisher.enqueue(fanOut(0..<9, "a"), row: 1)
        publisher.enqueue([OutboundMessage("app/1", Array("b".utf8))], row: 2)
        let told = try drain(&publisher, Broker())
        #expect(told.first == "app/1 b")
        #expect(told.dropFirst() == (0..<9).map { "user/\($0) a" }[...])
        #expect(publisher.confirmedRows.sorted() == [1, 2])
    }

    @Test("A fan-out is published in groups with pauses, and faster if much is waiting")
    func groups() throws {
        var limits = limits()
        limits.fanOutPause = 2
        limits.fanOutPauses = 10
        for (users, first) in [(9, 2), (100, 10)] {
            var publisher = publisher(limits)
            let broker = Broker()
            var connection = FakeBroker(broker)
            _ = try connection.connect()
            publisher.enqueue(fanOut(0..<users, "a"), row: 1)
            var sizes: [Int] = []
            var moment = now
            while publisher.backlog > 0 {
                sizes.append(try publisher.publish(to: &connection, at: moment))
                #expect(publisher.pause(at: moment) == nil, "the broker is waited for")
                try confirmAll(&publisher, &connection)
                guard publisher.backlog > 0 else { break }
                #expect(publisher.pause(at: moment) == 2)
                #expect(try publisher.publish(to: &connection, at: moment) == 0)
                moment = moment.adding(milliseconds: 2)
                #expect(publisher.pause(at: moment) == 0)
            }
            #expect(sizes.first == first)
            #expect(sizes.reduce(0, +) == users)
            #expect(publisher.pause(at: moment) == nil)
            #expect(publisher.confirmedRows == [1])
        }
    }

    @Test("A clock set back doesn't delay a fan-out")
    func clockSetBack() throws {
        var limits = limits()
        limits.fanOutPause = 2
        var publisher = publisher(limits)
        var connection = FakeBroker(Broker())
        _ = try connection.connect()
        publisher.enqueue(fanOut(0..<9, "a"), row: 1)
        #expect(try publisher.publish(to: &connection, at: now) == 2)
        try confirmAll(&publisher, &connection)
        let before = Instant(milliseconds: 1)
        #expect(publisher.pause(at: before) == 0)
        #expect(try publisher.publish(to: &connection, at: before) == 2)
    }

    private func confirmAll(
        _ publisher: inout Publisher,
        _ connection: inout FakeBroker
    ) throws {
        try connection.flush()
        var intake = Intake()
        try connection.receive(upTo: 100, linger: .zero, wait: .zero, into: &intake)
        publisher.confirm(intake.confirmed)
    }

    @Test("No message overtakes an earlier message on its topic")
    func topicOrder() throws {
        var publisher = publisher(limits())
        publisher.enqueue(fanOut(0..<9, "a"), row: 1)
        publisher.enqueue([OutboundMessage("user/4", Array("b".utf8))], row: 2)
        publisher.enqueue(fanOut(2..<8, "c"), row: 3)
        publisher.enqueue([OutboundMessage("user/20", Array("d".utf8))], row: 4)
        let told = try drain(&publisher, Broker())
        #expect(told.filter { $0.hasPrefix("user/4 ") } == ["user/4 a", "user/4 b", "user/4 c"])
        #expect(told.first == "user/20 d")
        #expect(publisher.confirmedRows.sorted() == [1, 2, 3, 4])
    }

    @Test("Only a few of a fan-out's messages are in flight, and others fill the window") func window() throws {
        var publisher = publisher(limits())
        publisher.enqueue(fanOut(0..<9, "a"), row: 1)
        publisher.enqueue((0..<9).map { OutboundMessage("app/\($0)", [UInt8($0)]) }, row: 2)
        var connection = FakeBroker(Broker())
        _ = try connection.connect()
        #expect(try publisher.publish(to: &connection, at: now) == 11)
        #expect(publisher.unconfirmed == 11 && publisher.backlog == 18)
    }

    @Test("A message refused for its content, or expired, counts as delivered")
    func dropped() throws {
        var publisher = publisher(limits())
        let late = OutboundMessage("app/1", [1], expiresAt: now)
        publisher.enqueue([late, OutboundMessage("app/2", [2])], row: 1)
        #expect(try drain(&publisher, Broker()).count == 1)
        #expect(publisher.confirmedRows == [1])
    }

    private func status(_ user: Int, _ device: Int, _ version: Int) -> OutboundMessage {
        OutboundMessage("ll/v1/user/u\(user)/device/d-\(device)/status", Array("\(version)".utf8), isRetained: true)
    }

    @Test("All messages for a receiver use one connection, and receivers share all connections") func outlets() throws {
        var publisher = publisher(Limits())
        for row in 1...1_000 { publisher.enqueue([status(row % 200, row % 7, row)], row: Int64(row)) }
        let broker = Broker()
        _ = try drain(&publisher, broker)
        var outlets: [Substring: Set<Int>] = [:]
        for (message, outlet) in zip(broker.published, broker.outlets) {
            let user = message.topic.split(separator: "/")[3]
            outlets[user, default: []].insert(try #require(outlet))
        }
        #expect(outlets.count == 200 && outlets.values.allSatisfy { $0.count == 1 })
        #expect(Set(outlets.values.joined()).count == Limits().outlets)
    }

    @Test("Answers overtake messages to users, which are not delayed forever")
    func answersFirst() throws {
        var limits = Limits()
        limits.outlets = 1
        var publisher = publisher(limits)
        for row in 1...8 { publisher.enqueue([status(row, 1, row)], row: Int64(row)) }
        for row in 9...17 {
            let answer = OutboundMessage("ll/v1/device/d-\(row)/response", [1])
            publisher.enqueue([answer], row: Int64(row))
        }
        let broker = Broker()
        _ = try drain(&publisher, broker)
        let kinds = broker.published.map { $0.isRetained ? "s" : "a" }.joined()
        #expect(kinds == "aaasaaasaaas" + "sssss")
    }

    @Test("A row is deleted only when all rows before it are done")
    func order() throws {
        var publisher = publisher(Limits())
        let broker = Broker()
        var connection = FakeBroker(broker)
        _ = try connection.connect()
        publisher.enqueue([status(1, 1, 1)], row: 1)
        for user in 2...9 { publisher.enqueue([status(user, 1, user)], row: Int64(user)) }
        _ = try publisher.publish(to: &connection, at: now)
        try connection.flush()
        var intake = Intake()
        try connection.receive(upTo: 100, linger: .zero, wait: .zero, into: &intake)
        let receipts = intake.confirmed
        let first = try #require(zip(broker.published, receipts).first { $0.0.payload == [49] })
        publisher.confirm(receipts.filter { $0 != first.1 })
        #expect(receipts.count == 9 && publisher.confirmedRows.isEmpty)
        publisher.confirm(receipts)
        #expect(publisher.confirmedRows == Array(1...9))
    }

    @Test("Of statuses that waited long only the newest is published, and all rows are deleted") func stale() throws {
        var limits = Limits()
        limits.outlets = 1
        limits.staleAfter = .zero
        var publisher = publisher(limits)
        for row in 1...1000 { publisher.enqueue([status(row % 10, 1, row)], row: Int64(row)) }
        let broker = Broker()
        let told = try drain(&publisher, broker)
        // Newer statuses replace older ones only when 100 messages are waiting. So the first 100 messages are all
        // published.
        #expect(told.count == 110 && publisher.takeLeftOut() == 890)
        #expect(
            broker.retained.values.map { String(decoding: $0, as: UTF8.self) }.sorted()
                == (991...1000).map(String.init).sorted()
        )
        #expect(publisher.confirmedRows == Array(1...1000) && publisher.bytes == 0)
    }

    @Test("The outbox is behind by rows and by bytes, until the broker has confirmed them")
    func behind() throws {
        for (rows, size) in [(10, 1), (2, 1 << 20)] {
            var limits = Limits()
            limits.outboxRows = 10
            limits.outboxBytes = 2 << 20
            var publisher = publisher(limits)
            for row in 1...rows {
                #expect(!publisher.isBehind)
                let message = OutboundMessage("ll/v1/user/u/x", [UInt8](repeating: 1, count: size))
                publisher.enqueue([message], row: Int64(row))
            }
            #expect(publisher.isBehind)
            _ = try drain(&publisher, Broker())
            #expect(!publisher.isBehind && publisher.bytes == 0)
        }
    }
}
