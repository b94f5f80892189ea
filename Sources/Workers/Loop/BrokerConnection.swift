package import Domain
package import Mosquitto
package import Wire

/// A worker's connection to the broker, which tests can replace.
///
/// A connection is used by only one thread. A received message is acknowledged only when `flush` is called after
/// `acknowledge`. After an error, the worker drops the connection and makes a new one.
package protocol BrokerConnection: ~Copyable {
    /// The topic filters of message batches; empty if each message arrives separately.
    var batchFilters: [String] { get }
    /// Connects to the broker, and returns whether the broker still had the worker's MQTT session.
    mutating func connect() throws -> Bool
    /// Subscribes to filters, and requests retained messages if `sendsRetained` is true.
    mutating func subscribe(_ filters: [String], sendsRetained: Bool, quality: QualityOfService) throws
    /// Ends subscriptions; allowed only if all received messages have been acknowledged.
    mutating func unsubscribe(_ filters: [String]) throws
    /// Receives the next batch, which replaces the intake's content.
    mutating func receive(upTo limit: Int, linger: Duration, wait: Duration, into intake: inout Intake) throws
    /// Queues a message and returns its packet id.
    ///
    /// The message expires after `expirySeconds`. If `expirySeconds` is nil, the message never expires. Messages that
    /// are sent over the same outlet stay in order. If `outlet` is nil, the message is sent over the receiving
    /// connection.
    mutating func publish(
        _ message: OutboundMessage,
        over outlet: Int?,
        quality: QualityOfService,
        expirySeconds: UInt32?
    ) throws -> Int32
    /// Lets the next `flush` send the acknowledgements of the `count` oldest received messages.
    mutating func acknowledge(_ count: Int)
    /// Sends the queued messages, and the acknowledgements that `acknowledge` has allowed.
    mutating func flush() throws
    /// Disconnects; all received messages must have been acknowledged.
    mutating func disconnect()
}

extension Topics {
    /// Returns the topics on which the gate and a lane exchange message batches.
    package func batches(of lane: Lane) -> ConnectionOptions.Batches {
        ConnectionOptions.Batches(
            incoming: batches(lane.name),
            outgoing: Topics.gatePublish
        )
    }
}

extension BrokerConnection where Self: ~Copyable {
    package var batchFilters: [String] { [] }

    /// Subscribes to filters whose messages the broker delivers at least once.
    mutating func subscribe(_ filters: [String], sendsRetained: Bool) throws {
        try subscribe(filters, sendsRetained: sendsRetained, quality: .atLeastOnce)
    }

    /// Queues a message that doesn't expire, and whose confirmation is ignored.
    mutating func publish(
        _ message: OutboundMessage,
        over outlet: Int? = nil,
        quality: QualityOfService
    ) throws {
        _ = try publish(message, over: outlet, quality: quality, expirySeconds: nil)
    }

    /// Queues messages in order, as if each were queued separately.
    mutating func publish(
        _ messages: [OutboundMessage],
        over outlet: Int,
        quality: QualityOfService
    ) throws {
        for message in messages { try publish(message, over: outlet, quality: quality) }
    }
}

/// A check that throws if the worker must not receive messages from the connected broker.
package typealias BrokerProof = @Sendable (inout MosquittoClient) throws -> Void

/// A connection to the broker through libmosquitto.
package struct MosquittoConnection: BrokerConnection, ~Copyable {
    private var client: MosquittoClient
    private let proof: BrokerProof?
    /// The topic filters of the message batches that the gate makes for this client.
    package let batchFilters: [String]

    /// Prepares one connection that receives messages, and several connections (the outlets) that publish.
    ///
    /// If `proof` is given, `connect` calls `proof` before the connection receives, subscribes to or acknowledges
    /// anything. With a `proof`, there is at least one outlet, because `proof` talks to the broker over an outlet.
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

    package mutating func subscribe(_ filters: [String], sendsRetained: Bool, quality: QualityOfService) throws {
        let handling = sendsRetained ? SubscribeOptions.RetainHandling.always : .never
        try client.subscribe(filters, options: SubscribeOptions(quality: quality, retainHandling: handling))
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
