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
            try connection.flush()
            var intake = Intake()
            try connection.receive(upTo: 100, linger: .zero, wait: .zero, into: &intake)
            publisher.confirm(intake.confirmed)
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
