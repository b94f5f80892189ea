import Mosquitto
import Wire

/// A process's connection to the broker, for messages among the processes that share a database.
///
/// If the process ends unexpectedly, the connection's MQTT will message informs the other processes.
///
/// Over this connection, a process also wakes other processes' lanes. The process checks the broker with echoes to
/// itself.
struct ProcessLink: ~Copyable {
    private var client: MosquittoClient
    private let topics: Topics
    private let id: String
    private var intake = Intake()
    private var beats: Int64 = 0
    /// The time at which a message was last received.
    private(set) var heardAt = ContinuousClock.now

    /// The state that another process has announced.
    struct News: Equatable {
        /// The id of the process.
        var id: String
        /// Whether the process is online.
        var isOnline: Bool
    }

    /// Connects to the broker within `patience`, or throws `MosquittoError`.
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

    /// Asks the gate to divide messages by shard, and announces this process to the other processes.
    mutating func begin() throws {
        try publish(Topics.gateControl, SystemCodec.gate([.divide]))
        try announce(isOnline: true)
    }

    private mutating func publish(_ topic: String, _ payload: [UInt8]) throws {
        _ = try client.publish(topic: topic, payload: payload, quality: .atMostOnce)
        try client.flush()
    }

    /// Announces a start, a departure or a returned lane, so that other processes check the leases.
    mutating func announce(isOnline: Bool) throws {
        try publish(topics.system("process/\(id)"), SystemCodec.processState(isOnline: isOnline))
    }

    /// Sends an echo, which this process itself receives while the broker can be reached.
    mutating func beat() throws {
        beats += 1
        try publish(topics.system("echo/\(id)"), SystemCodec.echo(beats, seen: 0))
    }

    /// Wakes a lane of another process.
    mutating func wake(_ lane: Lane) throws {
        try publish(topics.system("wake/\(lane.name)"), SystemCodec.processState(isOnline: true))
    }

    /// Waits at most `wait` for messages, and returns the other processes' announcements.
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

    /// Announces the departure and disconnects cleanly, so that the broker publishes no will.
    mutating func close() {
        try? announce(isOnline: false)
        client.disconnect()
    }
}
