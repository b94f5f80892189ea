import CMosquitto

/// A worker's connections: a receiver that takes messages, and outlets that publish its own.
///
/// Mosquitto 2.0 reads one packet of a connection in each round of its loop. With many busy
/// devices, acknowledgements, answers and fan-out would wait for each other on a single connection:
/// each outlet adds a packet a round. Messages that must stay in order share an outlet. Only the
/// receiver's session outlives its connection. The set ends with the first connection that is lost.
///
/// It belongs to the one thread that made it, as a `MosquittoClient` does.
package struct ConnectionSet: ~Copyable {
    var receiver: MosquittoClient
    let outlets: [Outlet]
    let waker: Waker

    /// One connection that only publishes; a class, since an array can't hold a noncopyable value.
    final class Outlet {
        var client: MosquittoClient

        /// The messages to be sent as one; nil if each is sent separately.
        var batch: PublishBatch?

        init(_ client: consuming MosquittoClient, batch: PublishBatch?) {
            self.client = client
            self.batch = batch
        }
    }

    /// Prepares the connections; `options`, including the will, are the receiver's.
    ///
    /// - Throws: `MosquittoError`.
    package init(
        _ options: ConnectionOptions,
        outlets count: Int,
        waker: Waker
    ) throws(MosquittoError) {
        var own = options
        // While much output waits, the receiver reads nothing, not even the answer to a PINGREQ:
        // the outlets notice a broker that is gone.
        if count > 0 { own.keepAliveSeconds = max(options.keepAliveSeconds, Self.patientSeconds) }
        let outlets = try Self.outlets(count, of: options, waker)
        let receiver = try MosquittoClient(own, waker: waker)
        receiver.callbacks.batches = options.batches.map { Array($0.incoming.utf8) }
        self.waker = waker
        self.outlets = outlets
        self.receiver = receiver
    }

    private static func outlets(
        _ count: Int,
        of options: ConnectionOptions,
        _ waker: Waker
    ) throws(MosquittoError) -> [Outlet] {
        var outlets: [Outlet] = []
        for number in 0..<count {
            let client = try MosquittoClient(outlet(number, of: options), waker: waker)
            client.callbacks.outlet = number
            let batch = options.batches.map { PublishBatch(topic: $0.outgoing) }
            outlets.append(Outlet(client, batch: batch))
        }
        return outlets
    }

    /// Seconds without a packet after which the receiver sends a PINGREQ.
    private static let patientSeconds = 600

    private static func outlet(_ number: Int, of options: ConnectionOptions) -> ConnectionOptions {
        var options = options
        options.clientID += ".out\(number + 1)"
        options.cleanStart = true
        options.sessionExpirySeconds = 0
        options.will = nil
        return options
    }

    /// Connects the outlets and the receiver; returns whether the broker still had its session.
    ///
    /// The outlets connect first, which ends connections that a killed process left under their
    /// client ids.
    /// - Throws: `MosquittoError`.
    package mutating func connect() throws(MosquittoError) -> Bool {
        for outlet in outlets { _ = try outlet.client.connect() }
        return try receiver.connect()
    }

    /// Lends the first outlet's connection to query the broker, while nothing is published over it.
    ///
    /// It connected before the receiver, so an answer over it comes from a broker that was already
    /// running when the receiver connected.
    /// - Throws: Any error of `body`; `MosquittoError` if there is no outlet.
    package func withOutlet<R>(_ body: (inout MosquittoClient) throws -> R) throws -> R {
        guard let outlet = outlets.first else {
            throw MosquittoError(.noConnection, function: "withOutlet")
        }
        return try body(&outlet.client)
    }

    /// Subscribes over the receiver, as `MosquittoClient.subscribe`.
    ///
    /// - Throws: `MosquittoError`.
    package mutating func subscribe(
        _ filters: [String],
        options: SubscribeOptions
    ) throws(MosquittoError) { try receiver.subscribe(filters, options: options) }

    /// Ends subscriptions, as `MosquittoClient.unsubscribe`.
    ///
    /// - Throws: `MosquittoError`.
    package mutating func unsubscribe(_ filters: [String]) throws(MosquittoError) {
        try receiver.unsubscribe(filters)
    }

    /// Queues a message for an outlet, or for the receiver's own connection if `outlet` is nil.
    ///
    /// - Returns: The packet id, one of that connection's.
    /// - Throws: `MosquittoError`, as `MosquittoClient.publish`.
    package mutating func publish(
        topic: String,
        payload: [UInt8],
        outlet number: Int?,
        quality: QualityOfService,
        isRetained: Bool,
        properties: PublishProperties?
    ) throws(MosquittoError) -> Int32 {
        guard let number, !outlets.isEmpty else {
            return try receiver.publish(
                topic: topic,
                payload: payload,
                quality: quality,
                isRetained: isRetained,
                properties: properties
            )
        }
        let outlet = outlets[number % outlets.count]
        guard outlet.batch != nil else {
            return try outlet.client.publish(
                topic: topic,
                payload: payload,
                quality: quality,
                isRetained: isRetained,
                properties: properties
            )
        }
        return try outlet.put(
            topic: topic,
            payload: payload,
            quality: quality,
            isRetained: isRetained,
            properties: properties
        )
    }

    /// Permits the acknowledgements of the oldest deliveries.
    ///
    /// The library writes all of them or none: they leave with the next `flush()` once all are
    /// permitted. While many wait for that, `receive` reads no message.
    package mutating func acknowledge(_ count: Int) { receiver.acknowledge(count) }

    /// Writes messages and acknowledgements as far as the broker takes them now; `receive` writes
    /// the rest.
    ///
    /// - Throws: `MosquittoError`.
    package mutating func flush() throws(MosquittoError) {
        for outlet in outlets {
            try outlet.sendBatch()
            try outlet.client.writeSome()
        }
        try receiver.writeSome()
    }

    /// Disconnects all connections; the receiver's is only closed if acknowledgements are held.
    package mutating func disconnect() {
        for outlet in outlets {
            try? outlet.client.flush(within: Self.goodbye)
            outlet.client.disconnect()
        }
        guard receiver.callbacks.acknowledgementsHeld == 0 else { return }
        try? receiver.flush(within: Self.goodbye)
        receiver.disconnect()
    }

    /// The longest time to write to a connection at its end, if the broker no longer reads.
    private static let goodbye = Duration.milliseconds(200)
}
