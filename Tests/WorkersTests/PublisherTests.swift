import Domain
import Mosquitto
import Testing
import Wire

@testable import Workers

@Suite("What the outbox owes goes out")
struct PublisherTests {
    private let now = Instant(milliseconds: 1_000)

    private func limits(crowdMin: Int = 3, crowdWindow: Int = 2) -> Limits {
        var limits = Limits()
        limits.crowdMin = crowdMin
        limits.crowdWindow = crowdWindow
        limits.crowdPause = 0
        return limits
    }

    private func publisher(_ limits: Limits) -> Publisher {
        var publisher = Publisher(worker: .status, limits: limits, settled: [])
        publisher.take(stored: [])
        return publisher
    }

    /// The same for users from one number to another.
    private func crowd(_ users: Range<Int>, _ payload: String) -> [OutboundMessage] {
        users.map { OutboundMessage("user/\($0)", Array(payload.utf8)) }
    }

    /// Publishes and has everything confirmed until nothing is left; gives what went out.
    private func drain(_ publisher: inout Publisher, _ broker: Broker) throws -> [String] {
        var connection = FakeBroker(broker)
        _ = try connection.connect()
        while publisher.backlog > 0 {
            _ = try publisher.publish(to: &connection, at: now)
            try confirmAll(&publisher, &connection)
        }
        return broker.published.map { "\($0.topic) \(String(decoding: $0.payload, as: UTF8.self))" }
    }

    @Test("What comes behind a crowd's message passes it, and every row is settled")
    func passing() throws {
        var publisher = publisher(limits())
        publisher.take(crowd(0..<9, "a"), row: 1)
        publisher.take([OutboundMessage("app/1", Array("b".utf8))], row: 2)
        let told = try drain(&publisher, Broker())
        #expect(told.first == "app/1 b")
        #expect(told.dropFirst() == (0..<9).map { "user/\($0) a" }[...])
        #expect(publisher.settled.sorted() == [1, 2])
    }

    @Test("A crowd is told in groups with pauses, and sooner where much waits")
    func groups() throws {
        var limits = limits()
        limits.crowdPause = 2
        limits.crowdPauses = 10
        for (users, first) in [(9, 2), (100, 10)] {
            var publisher = publisher(limits)
            let broker = Broker()
            var connection = FakeBroker(broker)
            _ = try connection.connect()
            publisher.take(crowd(0..<users, "a"), row: 1)
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
            #expect(publisher.settled == [1])
        }
    }

    @Test("A clock that is set back holds no crowd up")
    func clockSetBack() throws {
        var limits = limits()
        limits.crowdPause = 2
        var publisher = publisher(limits)
        var connection = FakeBroker(Broker())
        _ = try connection.connect()
        publisher.take(crowd(0..<9, "a"), row: 1)
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

    @Test("Nothing passes an older message for its topic")
    func topicOrder() throws {
        var publisher = publisher(limits())
        publisher.take(crowd(0..<9, "a"), row: 1)
        publisher.take([OutboundMessage("user/4", Array("b".utf8))], row: 2)
        publisher.take(crowd(2..<8, "c"), row: 3)
        publisher.take([OutboundMessage("user/20", Array("d".utf8))], row: 4)
        let told = try drain(&publisher, Broker())
        #expect(told.filter { $0.hasPrefix("user/4 ") } == ["user/4 a", "user/4 b", "user/4 c"])
        #expect(told.first == "user/20 d")
        #expect(publisher.settled.sorted() == [1, 2, 3, 4])
    }

    @Test("A crowd's messages are out a few at a time, others as the window takes them")
    func window() throws {
        var publisher = publisher(limits())
        publisher.take(crowd(0..<9, "a"), row: 1)
        publisher.take((0..<9).map { OutboundMessage("app/\($0)", [UInt8($0)]) }, row: 2)
        var connection = FakeBroker(Broker())
        _ = try connection.connect()
        #expect(try publisher.publish(to: &connection, at: now) == 11)
        #expect(publisher.unconfirmed == 11 && publisher.backlog == 18)
    }

    @Test("A message that is refused for what it is, or too late, counts as taken")
    func dropped() throws {
        var publisher = publisher(limits())
        let late = OutboundMessage("app/1", [1], expiresAt: now)
        publisher.take([late, OutboundMessage("app/2", [2])], row: 1)
        #expect(try drain(&publisher, Broker()).count == 1)
        #expect(publisher.settled == [1])
    }
}
