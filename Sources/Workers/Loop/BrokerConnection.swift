package import Domain
package import Mosquitto
package import Wire

/// A worker's connection to the broker; a seam, so that tests can fail it at every step.
///
/// One thread uses the implementation. Acknowledgements of received messages leave in `flush` after
/// `acknowledge`, and nowhere else. After an error the connection is dropped, and a new one is made.
package protocol BrokerConnection: ~Copyable {
    /// The filters for many messages in one; empty if each message is to come by itself.
    var batchFilters: [String] { get }
    /// Connects; returns whether the broker still had the session.
    mutating func connect() throws -> Bool
    /// Subscribes; `sendsRetained` asks for the retained messages of the filters.
    mutating func subscribe(_ filters: [String], sendsRetained: Bool) throws
    /// Ends subscriptions; only while no acknowledgement is held.
    mutating func unsubscribe(_ filters: [String]) throws
    /// Receives the next batch, which replaces the intake's content.
    mutating func receive(
        upTo limit: Int,
        linger: Duration,
        wait: Duration,
        into intake: inout Intake
    ) throws
    /// Queues a message, which may expire after some seconds; returns the packet id that its confirmation
    /// will name.
    ///
    /// `outlet` selects the connection: messages over one stay in order. Without an outlet the message takes the
    /// connection that receives messages.
    mutating func publish(
        _ message: OutboundMessage,
        over outlet: Int?,
        quality: QualityOfService,
        expirySeconds: UInt32?
    ) throws -> Int32
    /// Lets the acknowledgements of the oldest received messages leave with the next `flush`.
    mutating func acknowledge(_ count: Int)
    /// Sends acknowledgements and messages.
    mutating func flush() throws
    /// Disconnects; no acknowledgement may be held.
    mutating func disconnect()
}

extension Topics {
    /// Returns the topics of a lane's batches, which the gate packs and unpacks.
    package func batches(of lane: Lane) -> ConnectionOptions.Batches {
        ConnectionOptions.Batches(
            incoming: batches(lane.name),
            outgoing: Topics.gatePublish
        )
    }
}

extension BrokerConnection where Self: ~Copyable {
    package var batchFilters: [String] { [] }

    /// Queues a message that doesn't expire, and whose confirmation is ignored.
    mutating func publish(
        _ message: OutboundMessage,
        over outlet: Int? = nil,
        quality: QualityOfService
    ) throws {
        _ = try publish(message, over: outlet, quality: quality, expirySeconds: nil)
    }

    /// Queues messages as the other `publish` does, in order.
    mutating func publish(
        _ messages: [OutboundMessage],
        over outlet: Int,
        quality: QualityOfService
    ) throws {
        for message in messages { try publish(message, over: outlet, quality: quality) }
    }
}

/// Finds out over a connection whether the broker is one to take messages from; throws where it is not.
package typealias BrokerProof = @Sendable (inout MosquittoClient) throws -> Void

/// The connection through libmosquitto.
package struct MosquittoConnection: BrokerConnection, ~Copyable {
    private var client: ConnectionSet
    private let proof: BrokerProof?
    /// The filters of the batches that the gate makes for this client.
    package let batchFilters: [String]

    /// Prepares a connection to receive over, and others to publish over.
    ///
    /// With a `proof` `connect` fails where the broker does not give it: before anything is read, subscribed or
    /// acknowledged. It is asked for over an outlet, so that there is at least one.
    package init(
        _ options: ConnectionOptions,
        outlets: Int,
        waker: Waker,
        proof: BrokerProof? = nil
    ) throws {
        self.proof = proof
        batchFilters = options.batches.map { [$0.incoming] } ?? []
        client = try ConnectionSet(
            options,
            outlets: proof == nil ? outlets : max(1, outlets),
            waker: waker
        )
    }

    package mutating func connect() throws -> Bool {
        let isSessionPresent = try client.connect()
        if let proof { try client.withOutlet(proof) }
        return isSessionPresent
    }

    package mutating func subscribe(_ filters: [String], sendsRetained: Bool) throws {
        try client.subscribe(
            filters,
            options: SubscribeOptions(retainHandling: sendsRetained ? .always : .never)
        )
    }

    package mutating func unsubscribe(_ filters: [String]) throws {
        try client.unsubscribe(filters)
    }

    package mutating func receive(
        upTo limit: Int,
        linger: Duration,
        wait: Duration,
        into intake: inout Intake
    ) throws {
        try client.receive(upTo: limit, linger: linger, wait: wait, into: &intake)
    }

    package mutating func publish(
        _ message: OutboundMessage,
        over outlet: Int?,
        quality: QualityOfService,
        expirySeconds: UInt32?
    ) throws -> Int32 {
        var properties: PublishProperties?
        if message.correlation != nil || expirySeconds != nil || message.traceparent != nil {
            properties = PublishProperties(
                correlationData: message.correlation,
                messageExpirySeconds: expirySeconds,
                traceparent: message.traceparent
            )
        }
        return try client.publish(
            topic: message.topic,
            payload: message.payload,
            outlet: outlet,
            quality: quality,
            isRetained: message.isRetained,
            properties: properties
        )
    }

    package mutating func acknowledge(_ count: Int) { client.acknowledge(count) }
    package mutating func flush() throws { try client.flush() }
    package mutating func disconnect() { client.disconnect() }
}
