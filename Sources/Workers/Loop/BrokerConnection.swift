package import Domain
package import Mosquitto
package import Wire

/// A worker's connection to the broker, which tests replace to fail at every step.
///
/// One thread uses a connection. Acknowledgements of received messages are sent by `flush` after `acknowledge`, and by
/// nothing else. After an error the connection is dropped, and a new one is made.
package protocol BrokerConnection: ~Copyable {
    /// The filters of message batches; empty if each message arrives separately.
    var batchFilters: [String] { get }
    /// Connects; returns whether the broker still had the session.
    mutating func connect() throws -> Bool
    /// Subscribes; `sendsRetained` requests the retained messages of the filters.
    mutating func subscribe(_ filters: [String], sendsRetained: Bool) throws
    /// Ends subscriptions; allowed only while no acknowledgement is held.
    mutating func unsubscribe(_ filters: [String]) throws
    /// Receives the next batch, which replaces the intake's content.
    mutating func receive(upTo limit: Int, linger: Duration, wait: Duration, into intake: inout Intake) throws
    /// Queues a message, which may expire after some seconds; returns the packet id of its confirmation.
    ///
    /// `outlet` selects the connection: messages over the same outlet stay in order. Without an outlet the message
    /// takes the connection that receives messages.
    mutating func publish(
        _ message: OutboundMessage,
        over outlet: Int?,
        quality: QualityOfService,
        expirySeconds: UInt32?
    ) throws -> Int32
    /// Releases the acknowledgements of the oldest received messages for the next `flush`.
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

/// A check that the connected broker is the right one to take messages from; throws if it isn't.
package typealias BrokerProof = @Sendable (inout MosquittoClient) throws -> Void

/// A connection through libmosquitto.
package struct MosquittoConnection: BrokerConnection, ~Copyable {
    private var client: MosquittoClient
    private let proof: BrokerProof?
    /// The filters of the batches that the gate makes for this client.
    package let batchFilters: [String]

    /// Prepares a connection for receiving, and others for publishing.
    ///
    /// With a `proof`, `connect` fails if the broker doesn't give it, before anything is read, subscribed or
    /// acknowledged. The proof is requested over an outlet, so there is at least one.
    package init(_ options: ConnectionOptions, outlets: Int, waker: Waker, proof: BrokerProof? = nil) throws {
        self.proof = proof
        batchFilters = options.batches.map { [$0.incoming] } ?? []
        client = try MosquittoClient(options, outlets: proof == nil ? outlets : max(1, outlets), waker: waker)
    }

    package mutating func connect() throws -> Bool {
        let isSessionPresent = try client.connect()
        if let proof { try client.withOutlet(proof) }
        return isSessionPresent
    }

    package mutating func subscribe(_ filters: [String], sendsRetained: Bool) throws {
        try client.subscribe(filters, options: SubscribeOptions(retainHandling: sendsRetained ? .always : .never))
    }

    package mutating func unsubscribe(_ filters: [String]) throws { try client.unsubscribe(filters) }

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
    package mutating func flush() throws { try client.writePermitted() }
    package mutating func disconnect() { client.disconnect() }
}
