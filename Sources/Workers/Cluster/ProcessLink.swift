import Mosquitto
import Wire

/// A process's own connection to the broker, whose will notifies the other processes at once that this one is gone.
///
/// Processes use it to wake each other's lanes. Each also receives its own echoes, to notice a broker that is out of
/// reach.
struct ProcessLink: ~Copyable {
    private var client: MosquittoClient
    private let topics: Topics
    private let id: String
    private var intake = Intake()
    private var beats: Int64 = 0
    /// The time at which anything was last received.
    private(set) var heardAt = ContinuousClock.now

    /// The state that another process has announced.
    struct News: Equatable {
        /// The id of the process.
        var id: String
        /// Whether it is online.
        var isOnline: Bool
    }

    /// Connects, and waits for the broker for at most `patience`.
    ///
    /// - Throws: `MosquittoError`.
    init(_ options: ConnectionOptions, id: String, topics: Topics, waker: Waker, patience: Duration) throws {
        var options = options
        options.clientID = "svc.lamplighter.process.\(id)"
        options.cleanStart = true
        options.sessionExpirySeconds = 0
        options.connectTimeout = patience
        options.writeTimeout = .seconds(1)
        options.batches = nil
        options.will = .init(topic: topics.system("process/\(id)"), payload: SystemCodec.processState(isOnline: false))
        var client = try MosquittoClient(options, waker: waker)
        _ = try client.connect()
        try client.subscribe(
            [topics.system("process/+"), topics.system("echo/\(id)")],
            options: SubscribeOptions(retainHandling: .never)
        )
        self.client = client
        self.topics = topics
        self.id = id
    }

    /// Asks the gate to divide messages by shard, and announces this process to the others.
    mutating func begin() throws {
        try publish(Topics.gateControl, SystemCodec.gate([.divide]))
        try announce(isOnline: true)
    }

    private mutating func publish(_ topic: String, _ payload: [UInt8]) throws {
        _ = try client.publish(topic: topic, payload: payload, quality: .atMostOnce)
        try client.flush()
    }

    /// Announces that this process is online, is leaving or has given a lane back, so that the others check the leases.
    mutating func announce(isOnline: Bool) throws {
        try publish(topics.system("process/\(id)"), SystemCodec.processState(isOnline: isOnline))
    }

    /// Sends an echo, which returns as long as the broker can be reached.
    mutating func beat() throws {
        beats += 1
        try publish(topics.system("echo/\(id)"), SystemCodec.echo(beats, seen: 0))
    }

    /// Wakes a lane of another process.
    mutating func wake(_ lane: Lane) throws {
        try publish(topics.system("wake/\(lane.name)"), SystemCodec.processState(isOnline: true))
    }

    /// Waits for news for at most `wait`; returns the news received.
    mutating func receive(wait: Duration) throws -> [News] {
        try client.receive(upTo: 100, linger: .zero, wait: wait, into: &intake)
        defer { try? client.flush() }
        if !intake.deliveries.isEmpty { heardAt = .now }
        return intake.deliveries.compactMap { delivery in
            guard case .processState(let other) = topics.parse(intake.bytes[delivery.topic]), other != id,
                let isOnline = SystemCodec.decode(processState: intake.bytes[delivery.payload])
            else { return nil }
            return News(id: other, isOnline: isOnline)
        }
    }

    /// Announces that the process leaves and disconnects, so that the broker doesn't publish the will as well.
    mutating func close() {
        try? announce(isOnline: false)
        client.disconnect()
    }
}
