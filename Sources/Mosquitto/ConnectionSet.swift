import CMosquitto

/// A worker's connections: one over which messages come, and others over which its own go out.
///
/// Mosquitto 2.0 reads one packet of a connection in each round of its loop. Beside many busy devices a
/// single one would have its acknowledgements, answers and fan-out wait for each other: each outlet adds a
/// packet a round. What must stay in order goes over the same outlet. The session is the intake's; an
/// outlet's ends with it, and so does the set with the first connection that is lost.
///
/// It belongs to the one thread that made it, as a `MosquittoClient` does.
package struct ConnectionSet: ~Copyable {
    var intake: MosquittoClient
    let outlets: [Outlet]
    let waker: Waker

    /// One connection that only publishes; a class, as an array can't hold what has one owner.
    final class Outlet {
        var client: MosquittoClient

        /// What is to go out as one message; nil where each goes by itself.
        var batch: OutgoingBatch?

        init(_ client: consuming MosquittoClient, batch: OutgoingBatch?) {
            self.client = client
            self.batch = batch
        }
    }

    /// Prepares the connections; `options` are the intake's, and so is the will.
    ///
    /// - Throws: `MosquittoError`.
    package init(
        _ options: ConnectionOptions,
        outlets count: Int,
        waker: Waker
    ) throws(MosquittoError) {
        var own = options
        own.holdsAcknowledgements = true
        // While much waits to go out nothing is read here, not even the answer to a PINGREQ: that the
        // broker is gone is noticed by the outlets.
        if count > 0 { own.keepAliveSeconds = max(options.keepAliveSeconds, Self.patientSeconds) }
        let outlets = try Self.outlets(count, of: options, waker)
        let intake = try MosquittoClient(own, waker: waker)
        intake.callbacks.batches = options.batches.map { Array($0.incoming.utf8) }
        self.waker = waker
        self.outlets = outlets
        self.intake = intake
    }

    private static func outlets(
        _ count: Int,
        of options: ConnectionOptions,
        _ waker: Waker
    ) throws(MosquittoError) -> [Outlet] {
        var outlets: [Outlet] = []
        for number in 0..<count {
            let client = try MosquittoClient(outlet(number, of: options), waker: waker)
            client.callbacks.lane = number
            let batch = options.batches.map { OutgoingBatch(topic: $0.outgoing) }
            outlets.append(Outlet(client, batch: batch))
        }
        return outlets
    }

    /// Seconds after which the intake asks the broker whether it is there: its own limit.
    private static let patientSeconds = 600

    private static func outlet(_ number: Int, of options: ConnectionOptions) -> ConnectionOptions {
        var options = options
        options.clientID += ".out\(number + 1)"
        options.cleanStart = true
        options.sessionExpirySeconds = 0
        options.will = nil
        return options
    }

    /// Connects all; tells whether the broker still had the intake's session.
    ///
    /// The outlets come first: what a killed process left in their sockets ends there.
    /// - Throws: `MosquittoError`.
    package mutating func connect() throws(MosquittoError) -> Bool {
        for outlet in outlets { _ = try outlet.client.connect() }
        return try intake.connect()
    }

    /// Subscribes over the intake, as `MosquittoClient.subscribe`.
    ///
    /// - Throws: `MosquittoError`.
    package mutating func subscribe(
        _ filters: [String],
        options: SubscribeOptions
    ) throws(MosquittoError) { try intake.subscribe(filters, options: options) }

    /// Ends subscriptions, as `MosquittoClient.unsubscribe`.
    ///
    /// - Throws: `MosquittoError`.
    package mutating func unsubscribe(_ filters: [String]) throws(MosquittoError) {
        try intake.unsubscribe(filters)
    }

    /// Queues a message for the outlet of a lane, or for the intake's own connection where it is nil.
    ///
    /// - Returns: The packet id, one of that connection's.
    /// - Throws: `MosquittoError`, as `MosquittoClient.publish`.
    package mutating func publish(
        topic: String,
        payload: [UInt8],
        lane: Int?,
        quality: QualityOfService,
        isRetained: Bool,
        properties: PublishProperties?
    ) throws(MosquittoError) -> Int32 {
        guard let lane, !outlets.isEmpty else {
            return try intake.publish(
                topic: topic,
                payload: payload,
                quality: quality,
                isRetained: isRetained,
                properties: properties
            )
        }
        let outlet = outlets[lane % outlets.count]
        guard outlet.batch != nil else {
            return try outlet.client.publish(
                topic: topic,
                payload: payload,
                quality: quality,
                isRetained: isRetained,
                properties: properties
            )
        }
        return try outlet.put(topic, payload, quality, isRetained, properties)
    }

    /// Deliveries whose acknowledgements stay here.
    package var unacknowledged: Int { intake.callbacks.acknowledgementsHeld }

    /// Lets the acknowledgements of the oldest deliveries leave with the next `flush()`.
    package mutating func acknowledge(_ count: Int) { intake.acknowledge(count) }

    /// Writes messages and acknowledgements as far as the broker takes them now; `receive` writes the rest.
    ///
    /// - Throws: `MosquittoError`.
    package mutating func flush() throws(MosquittoError) {
        for outlet in outlets {
            try outlet.sendBatch()
            try outlet.client.writeSome()
        }
        try intake.writeSome()
    }

    /// Says goodbye over all connections; the intake's just ends where acknowledgements are held.
    package mutating func disconnect() {
        for outlet in outlets {
            try? outlet.client.flush(within: Self.goodbye)
            outlet.client.disconnect()
        }
        guard intake.callbacks.acknowledgementsHeld == 0 else { return }
        try? intake.flush(within: Self.goodbye)
        intake.disconnect()
    }

    /// How long a connection is written to at the end, for a broker that takes nothing any more.
    private static let goodbye = Duration.milliseconds(200)
}
