import Domain
import JSON
import Workers

@testable import Mosquitto

/// A test's broker connection, which passes each call to a `Broker` that outlives the connection.
struct FakeBroker: BrokerConnection, ~Copyable {
    private let broker: Broker

    init(_ broker: Broker) { self.broker = broker }

    mutating func connect() throws -> Bool { try broker.connect() }
    mutating func subscribe(_ filters: [String], sendsRetained: Bool, quality: QualityOfService) throws {
        broker.subscribe(filters, sendsRetained: sendsRetained)
    }
    mutating func unsubscribe(_ filters: [String]) throws { broker.unsubscribe(filters) }
    mutating func receive(
        upTo limit: Int,
        linger: Duration,
        wait: Duration,
        into intake: inout Intake
    ) throws {
        try broker.receive(upTo: limit, into: &intake)
    }
    mutating func publish(
        _ message: OutboundMessage,
        over outlet: Int?,
        quality: QualityOfService,
        expirySeconds: UInt32?
    ) throws -> Int32 {
        try broker.publish(message, quality, outlet)
    }
    mutating func acknowledge(_ count: Int) { broker.release(count) }
    mutating func flush() throws { try broker.flush() }
    mutating func disconnect() { broker.journal.append(.disconnected) }
}

/// An in-memory broker with one MQTT session; it fails at a point that a test chooses.
final class Broker {
    /// An event at the broker.
    enum Step: Equatable { case connected, received(Int), published(String), flushed(acknowledged: Int), disconnected }

    /// The point at which the connection to the broker breaks.
    enum Failure: Equatable {
        /// The connection breaks after the broker has delivered messages.
        case receive
        /// The connection breaks at the first message after this number of published messages.
        case publish(after: Int)
        /// The connection breaks before a flush has sent any message.
        case beforeFlush
        /// The connection breaks after a flush has sent all messages.
        case afterFlush
    }

    /// The error that the MQTT library reports for a broken connection.
    static let lost = MosquittoError(.connectionLost, function: "test")

    struct Message: Equatable {
        var topic: String
        var payload: [UInt8]
        var isRetained = false
        var responseTopic: String?
        var correlation: [UInt8]?
        var source: String?
    }

    var journal: [Step] = []
    /// The messages that the worker has sent, in order.
    private(set) var published: [OutboundMessage] = []
    /// The retained messages, by topic.
    private(set) var retained: [String: [UInt8]] = [:]
    /// The number of acknowledged messages, except those on the workers' own topics.
    private(set) var acknowledged = 0
    private(set) var limits: [Int] = []
    var failure: Failure?
    var hasSession = false
    /// Whether the broker confirms the messages that the worker publishes.
    var confirms = true
    /// Whether the worker's unflushed messages reach the broker even if the connection breaks.
    var leaks = false

    private var waiting: [Message] = []
    private var held: [Message] = []
    /// The number of held messages that the next flush acknowledges, beginning with the oldest.
    private var released = 0
    private var outgoing: [(OutboundMessage, Int32, outlet: Int?)] = []
    private var receipts: [PublishReceipt] = []
    /// The outlets of the messages in `published`, in the same order.
    private(set) var outlets: [Int?] = []
    private(set) var filters: Set<String> = []
    private var lastPacket: Int32 = 0
    private var publishes = 0

    /// The number of messages that the worker has not acknowledged.
    var unacknowledged: Int { waiting.count + held.count }
    var isIdle: Bool { waiting.isEmpty && held.isEmpty && receipts.isEmpty && outgoing.isEmpty }

    /// Publishes a message to the worker, as a client would.
    func send(
        _ topic: String,
        _ payload: [UInt8],
        response: String? = nil,
        correlation: [UInt8]? = nil,
        source: String? = nil
    ) {
        waiting.append(
            Message(topic: topic, payload: payload, responseTopic: response, correlation: correlation, source: source)
        )
    }

    func send(_ topic: String, _ payload: JSONObject) { send(topic, payload.encoded()) }

    func send(_ topic: String, text: String) { send(topic, Array(text.utf8)) }

    /// Forgets the session and all messages, as if the broker had been killed.
    func forget() {
        hasSession = false
        retained = [:]
        (waiting, held, outgoing, receipts, filters) = ([], [], [], [], [])
        released = 0
    }

    /// Prepares for a worker with other filters: removes and returns the waiting messages that no filter matches.
    ///
    /// The messages that a filter matches stay. The previous worker's filters are forgotten.
    func waitingFor(_ filters: [String]) -> [Message] {
        waiting.insert(contentsOf: held, at: 0)
        (held, outgoing, receipts, released) = ([], [], [], 0)
        let others = waiting.filter { message in !filters.contains { Self.matches($0, message.topic) } }
        waiting.removeAll { message in !filters.contains { Self.matches($0, message.topic) } }
        self.filters = []
        return others
    }

    /// Requeues the messages that `waitingFor(_:)` removed.
    func put(back messages: [Message]) { waiting += messages }

    /// Sets the retained message of a topic, or removes it if the payload is empty.
    func retain(_ topic: String, _ payload: [UInt8]) { retained[topic] = payload.isEmpty ? nil : payload }

    /// Returns the messages that were published to a topic, as JSON objects.
    func published(to topic: String) -> [JSONObject] {
        published.filter { $0.topic == topic }
            .compactMap { try? JSONValue.parse($0.payload).objectValue }
    }

    /// Returns the messages that were published to topics with this ending, as JSON objects.
    func published(ending: String) -> [JSONObject] {
        published.filter { $0.topic.hasSuffix(ending) }
            .compactMap { try? JSONValue.parse($0.payload).objectValue }
    }

    func forgetPublished() { published = [] }

    // MARK: The worker's side

    fileprivate func connect() throws -> Bool {
        if leaks { for (message, _, _) in outgoing { deliver(message) } }
        released = 0
        waiting.insert(contentsOf: held, at: 0)
        held = []
        outgoing = []
        receipts = []
        publishes = 0
        journal.append(.connected)
        defer { hasSession = true }
        return hasSession
    }

    fileprivate func subscribe(_ filters: [String], sendsRetained: Bool) {
        self.filters.formUnion(filters)
        guard sendsRetained else { return }
        for (topic, payload) in retained.sorted(by: { $0.key < $1.key })
        where filters.contains(where: { Self.matches($0, topic) }) {
            waiting.append(Message(topic: topic, payload: payload, isRetained: true))
        }
    }

    fileprivate func unsubscribe(_ filters: [String]) { self.filters.subtract(filters) }

    fileprivate func receive(upTo limit: Int, into intake: inout Intake) throws {
        intake.removeAll()
        limits.append(limit)
        for receipt in receipts { intake.append(receipt) }
        receipts = []
        let taken = Array(waiting.prefix(limit))
        waiting.removeFirst(taken.count)
        held += taken
        for message in taken { store(message, in: &intake) }
        if !taken.isEmpty { journal.append(.received(taken.count)) }
        if !taken.isEmpty { try fail(.receive) }
    }

    private func store(_ message: Message, in intake: inout Intake) {
        func put(_ bytes: [UInt8]) -> Range<Int> { bytes.withUnsafeBytes { intake.store($0) } }
        let topic = put(Array(message.topic.utf8))
        let payload = put(message.payload)
        let response = message.responseTopic.map { put(Array($0.utf8)) }
        let correlation = message.correlation.map { put($0) }
        intake.append(
            Delivery(
                topic: topic,
                payload: payload,
                responseTopic: response,
                correlationData: correlation,
                sourceAddress: message.source.map { put(Array($0.utf8)) },
                quality: .atLeastOnce,
                isRetained: message.isRetained
            )
        )
    }

    fileprivate func publish(_ message: OutboundMessage, _ quality: QualityOfService, _ outlet: Int?) throws -> Int32 {
        if case .publish(let count) = failure, publishes >= count {
            failure = nil
            throw Self.lost
        }
        publishes += 1
        lastPacket += 1
        outgoing.append((message, quality == .atLeastOnce ? lastPacket : 0, outlet))
        return lastPacket
    }

    fileprivate func release(_ count: Int) {
        released += count
        precondition(released <= held.count, "more is acknowledged than was given")
    }

    fileprivate func flush() throws {
        try fail(.beforeFlush)
        for (message, packet, outlet) in outgoing {
            deliver(message)
            outlets.append(outlet)
            guard confirms, packet != 0 else { continue }
            receipts.append(PublishReceipt(mid: packet, reasonCode: 0, outlet: outlet))
        }
        outgoing = []
        journal.append(.flushed(acknowledged: released))
        acknowledged += held.prefix(released).count { !$0.topic.contains("/system/worker/") }
        held.removeFirst(released)
        released = 0
        try fail(.afterFlush)
    }

    private func fail(_ point: Failure) throws {
        guard failure == point else { return }
        failure = nil
        throw Self.lost
    }

    private func deliver(_ message: OutboundMessage) {
        published.append(message)
        journal.append(.published(message.topic))
        if message.isRetained { retain(message.topic, message.payload) }
        if filters.contains(where: { Self.matches($0, message.topic) }) {
            waiting.append(Message(topic: message.topic, payload: message.payload))
        }
    }

    static func matches(_ filter: String, _ topic: String) -> Bool {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        let wanted = filter.split(separator: "/", omittingEmptySubsequences: false)
        for (index, level) in wanted.enumerated() {
            if level == "#" { return true }
            guard index < levels.count, level == "+" || level == levels[index] else { return false }
        }
        return wanted.count == levels.count
    }
}
