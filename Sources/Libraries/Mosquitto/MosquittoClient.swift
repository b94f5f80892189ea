import CMosquitto

/// A client of the broker, which sends acknowledgements only when the caller permits them.
///
/// The library has no manual acknowledgement. After `mosquitto_threaded_set`, however, the library queues each PUBACK.
/// Only `mosquitto_loop_write` then writes to the socket. This client never calls that function while acknowledgements
/// are held back. A worker receives, commits, publishes and then flushes. If its process dies before the flush, the
/// broker sends all these messages again. After an error the client can't be used. Drop the client without a flush, and
/// make a new one. If the old client reconnected instead, the library would send the unconfirmed messages by itself.
///
/// The receiver is the connection that receives messages. Outlets are additional connections, which only publish.
/// Without outlets, the receiver also publishes. Mosquitto 2.0 reads one packet from each connection in each round of
/// its loop. With only one connection, acknowledgements, answers and messages to clients would wait for each other
/// under load. With each outlet, the broker reads one more packet per round. Messages that must stay in order must use
/// the same outlet. Only the receiver's session outlives its connection. If any connection is lost, the client is
/// unusable.
///
/// The client belongs to the thread that made it. Its calls block, and other threads may use only its `Waker`.
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
    /// All connections: the outlets, and then the receiver.
    let connections: [Connection]
    let waker: Waker

    /// Prepares the connections without opening them.
    ///
    /// The outlets also use `options`. Each outlet has its own client id and no will. Its session ends with the
    /// connection.
    ///
    /// - Throws: `MosquittoError`, for example if a file of `TLS` can't be read.
    package init(_ options: ConnectionOptions, outlets count: Int = 0, waker: Waker) throws(MosquittoError) {
        var outlets: [Connection] = []
        for number in 0..<count { outlets.append(try Connection(options.ofOutlet(number), outlet: number)) }
        var own = options
        // While much output is waiting, the receiver doesn't even read the answer to a PINGREQ. It therefore sends
        // PINGREQs rarely. The outlets notice if the broker no longer answers.
        if count > 0 { own.keepAliveSeconds = max(options.keepAliveSeconds, Self.patientSeconds) }
        self.init(receiver: try Connection(own), outlets: outlets, waker: waker)
    }

    private init(receiver: Connection, outlets: [Connection], waker: Waker) {
        self.receiver = receiver
        self.outlets = outlets
        self.waker = waker
        connections = outlets + [receiver]
    }

    /// If there are outlets, the receiver sends a PINGREQ after this many idle seconds.
    private static let patientSeconds = 600

    /// The number of messages published with QoS 1 that the broker has not confirmed yet.
    package var unconfirmed: Int { connections.reduce(0) { $0 + $1.unconfirmed } }

    /// Connects the outlets and the receiver, and waits for the broker's answers.
    ///
    /// The outlets connect first. If a killed process has left outlets with the same client ids behind, the broker thus
    /// closes these old connections before the receiver connects. The system limits the time for each name lookup and
    /// each TCP connection. `connectTimeout` limits the remaining steps of each connection.
    /// - Returns: Whether the broker still had the receiver's session, with its subscriptions and queue.
    /// - Throws: `MosquittoError`, with a `reasonCode` if the broker refused the connection.
    package mutating func connect() throws(MosquittoError) -> Bool {
        for outlet in outlets { _ = try outlet.connect() }
        return try receiver.connect()
    }

    /// Calls `body` with a client that uses the first outlet's connection.
    ///
    /// Call this method to query the broker before the outlet publishes.
    ///
    /// The outlet connects before the receiver. The broker that answers `body` was therefore already running when the
    /// receiver connected.
    /// - Throws: Any error of `body`, or `MosquittoError` if there is no outlet.
    package func withOutlet<R>(_ body: (inout MosquittoClient) throws -> R) throws -> R {
        guard let outlet = outlets.first else { throw MosquittoError(.noConnection, function: "withOutlet") }
        var client = MosquittoClient(receiver: outlet, outlets: [], waker: waker)
        return try body(&client)
    }

    /// Disconnects, so that the broker does not publish the will.
    ///
    /// If acknowledgements are held, the receiver's connection is closed without a DISCONNECT. A DISCONNECT would also
    /// write the acknowledgements, and uncommitted messages would be lost. If there are no outlets, the method waits at
    /// most `writeTimeout`. If there are outlets, the method waits at most 200 ms for each connection.
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
