import Mosquitto
import Wire

/// A process's own connection to the broker, whose will tells the others at once that the process is gone.
///
/// Over it processes wake each other's lanes, and each hears itself, so that it notices a broker that is out of reach.
struct ProcessLink: ~Copyable {
    private var client: MosquittoClient
    private let topics: Topics
    private let id: String
    private var intake = Intake()
    private var beats: Int64 = 0
    /// When something was last heard.
    private(set) var heardAt = ContinuousClock.now

    /// What another process has said of itself.
    struct News: Equatable {
        /// The process.
        var id: String
        /// Whether it is there.
        var isOnline: Bool
    }

    /// Connects, and waits for the broker at most as long as given.
    ///
    /// - Throws: `MosquittoError`.
    init(
        _ options: ConnectionOptions,
        id: String,
        topics: Topics,
        waker: Waker,
        patience: Duration
    ) throws {
        var options = options
        options.clientID = "svc.lamplighter.process.\(id)"
        options.cleanStart = true
        options.sessionExpirySeconds = 0
        options.connectTimeout = patience
        options.writeTimeout = .seconds(1)
        options.batches = nil
        options.will = .init(
            topic: topics.system("process/\(id)"),
            payload: SystemCodec.processState(isOnline: false)
        )
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

    /// Has the gate divide messages by shard, and tells the others that this process is there.
    mutating func begin() throws {
        try publish(Topics.gateControl, SystemCodec.gate([.divide]))
        try announce(isOnline: true)
    }

    private mutating func publish(_ topic: String, _ payload: [UInt8]) throws {
        _ = try client.publish(topic: topic, payload: payload, quality: .atMostOnce)
        try client.flush()
    }

    /// Has the others look who holds which lane: this process has come, goes, or has given a lane back.
    mutating func announce(isOnline: Bool) throws {
        try publish(topics.system("process/\(id)"), SystemCodec.processState(isOnline: isOnline))
    }

    /// Sends what comes back as long as the broker can be reached.
    mutating func beat() throws {
        beats += 1
        try publish(topics.system("echo/\(id)"), SystemCodec.echo(beats, seen: 0))
    }

    /// Wakes a lane of another process.
    mutating func wake(_ lane: Lane) throws {
        try publish(topics.system("wake/\(lane.name)"), SystemCodec.processState(isOnline: true))
    }

    /// Waits for news, at most as long as given; returns what came.
    mutating func receive(wait: Duration) throws -> [News] {
        try client.receive(upTo: 100, linger: .zero, wait: wait, into: &intake)
        defer { try? client.flush() }
        if !intake.deliveries.isEmpty { heardAt = .now }
        return intake.deliveries.compactMap { delivery in
            guard case .processState(let other) = topics.parse(intake.bytes[delivery.topic]),
                other != id,
                let isOnline = SystemCodec.decode(processState: intake.bytes[delivery.payload])
            else { return nil }
            return News(id: other, isOnline: isOnline)
        }
    }

    /// Says goodbye, so that the will is not published; another message has said the same.
    mutating func close() {
        try? announce(isOnline: false)
        client.disconnect()
    }
}
