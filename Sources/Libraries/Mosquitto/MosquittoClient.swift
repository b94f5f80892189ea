import CMosquitto

/// A client of the broker, whose acknowledgements leave only when they are permitted.
///
/// The library has no manual acknowledgement. But with `mosquitto_threaded_set` it queues each PUBACK and leaves all
/// writing to `mosquitto_loop_write`, which is never called while acknowledgements are held. So: receive, commit,
/// publish, flush; a process that dies before the flush gets everything again. After an error the client can't be used:
/// drop it without a flush and make a new one, since a reconnecting handle would send its unconfirmed messages
/// automatically.
///
/// Its receiver takes messages, and publishes if there is no outlet. Mosquitto 2.0 reads one packet of a connection in
/// each round of its loop. With many busy devices, acknowledgements, answers and fan-out would wait for each other on a
/// single connection: each outlet adds a packet a round. Messages that must stay in order share an outlet. Only the
/// receiver's session outlives its connection. The client ends with the first connection that is lost.
///
/// It belongs to the one thread that made it and blocks that thread; other threads may use only its `Waker`.
///
/// ```swift
/// var client = try MosquittoClient(options, waker: waker)
/// let isSessionPresent = try client.connect()
/// try client.subscribe(["plant/+/report"])
/// while true {
///     try client.receive(upTo: 500, linger: .milliseconds(5), wait: .seconds(1), into: &intake)
///     try commit(intake)
///     try client.flush()
/// }
/// ```
package struct MosquittoClient: ~Copyable {
    let receiver: Connection
    let outlets: [Connection]
    /// The outlets and, last, the receiver.
    let connections: [Connection]
    let waker: Waker

    /// Prepares the connections, without connecting; `options`, including the will, are the receiver's.
    ///
    /// - Throws: `MosquittoError`, for example if a file of `TLS` can't be read.
    package init(_ options: ConnectionOptions, outlets count: Int = 0, waker: Waker) throws(MosquittoError) {
        var outlets: [Connection] = []
        for number in 0..<count { outlets.append(try Connection(options.ofOutlet(number), outlet: number)) }
        var own = options
        // While much output waits, the receiver reads nothing, not even the answer to a PINGREQ: the outlets notice a
        // broker that is gone.
        if count > 0 { own.keepAliveSeconds = max(options.keepAliveSeconds, Self.patientSeconds) }
        self.init(receiver: try Connection(own), outlets: outlets, waker: waker)
    }

    private init(receiver: Connection, outlets: [Connection], waker: Waker) {
        self.receiver = receiver
        self.outlets = outlets
        self.waker = waker
        connections = outlets + [receiver]
    }

    /// Seconds without a packet after which the receiver sends a PINGREQ, if there are outlets.
    private static let patientSeconds = 600

    /// The number of messages published with QoS 1 that the broker has not confirmed yet.
    package var unconfirmed: Int { connections.reduce(0) { $0 + $1.unconfirmed } }

    /// Connects the outlets and the receiver, and waits for the broker's answers.
    ///
    /// The outlets connect first, which ends connections that a killed process left under their client ids. For each
    /// connection, name look-up and TCP connection take as long as the system lets them, the rest up to
    /// `connectTimeout`.
    /// - Returns: Whether the broker still had the receiver's session, with its subscriptions and queue.
    /// - Throws: `MosquittoError`; with a `reasonCode` if the broker refused.
    package mutating func connect() throws(MosquittoError) -> Bool {
        for outlet in outlets { _ = try outlet.connect() }
        return try receiver.connect()
    }

    /// Lends the first outlet's connection to query the broker, while nothing is published over it.
    ///
    /// It connected before the receiver, so an answer over it comes from a broker that was already running when the
    /// receiver connected.
    /// - Throws: Any error of `body`; `MosquittoError` if there is no outlet.
    package func withOutlet<R>(_ body: (inout MosquittoClient) throws -> R) throws -> R {
        guard let outlet = outlets.first else { throw MosquittoError(.noConnection, function: "withOutlet") }
        var client = MosquittoClient(receiver: outlet, outlets: [], waker: waker)
        return try body(&client)
    }

    /// Disconnects, so that the broker does not publish the will.
    ///
    /// The receiver is only closed if acknowledgements are held: DISCONNECT would take them along, and uncommitted
    /// messages would be lost. Waits at most `writeTimeout`, with outlets at most 200 ms for each connection.
    package mutating func disconnect() {
        let limit = outlets.isEmpty ? receiver.options.writeTimeout : .milliseconds(200)
        for connection in connections { connection.disconnect(within: limit) }
    }
}

extension ConnectionOptions {
    fileprivate func ofOutlet(_ number: Int) -> ConnectionOptions {
        var options = self
        options.clientID += ".out\(number + 1)"
        options.cleanStart = true
        options.sessionExpirySeconds = 0
        options.will = nil
        return options
    }
}
