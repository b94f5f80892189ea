package import Mosquitto
package import Wire

/// A worker's connection to the broker; a seam, so that tests can fail it at every step.
///
/// The implementation is used by one thread. Acknowledgements of what `receive` gave leave in
/// `flush` after `acknowledge`, and nowhere else. After an error it is dropped and made anew.
package protocol BrokerConnection: ~Copyable {
    /// What to subscribe to so that many messages come as one; none where each is to come by itself.
    var batchFilters: [String] { get }
    /// Connects; tells whether the broker still had the session.
    mutating func connect() throws -> Bool
    /// Subscribes; `sendsRetained` asks for what the broker keeps under the filters.
    mutating func subscribe(_ filters: [String], sendsRetained: Bool) throws
    /// Ends subscriptions; only while nothing is held back.
    mutating func unsubscribe(_ filters: [String]) throws
    /// Gives the next batch, in the place of what the intake held.
    mutating func receive(
        upTo limit: Int,
        linger: Duration,
        wait: Duration,
        into intake: inout Intake
    ) throws
    /// Queues a message, which expires after so many seconds; returns the packet id that its
    /// confirmation will name.
    ///
    /// `lane` says over which connection it goes: what has one lane stays in order. Without one it goes
    /// over the connection that messages come from.
    mutating func publish(
        _ message: OutboundMessage,
        over lane: Int?,
        quality: QualityOfService,
        expirySeconds: UInt32?
    ) throws -> Int32
    /// Lets the acknowledgements of the oldest messages that were given leave with the next `flush`.
    mutating func acknowledge(_ count: Int)
    /// Lets acknowledgements and messages leave.
    mutating func flush() throws
    /// Says goodbye; nothing may be held back.
    mutating func disconnect()
}

extension Topics {
    /// Where a worker's batches come and go: the gate makes the former, and takes the latter apart.
    package func batches(of worker: WorkerName) -> ConnectionOptions.Batches {
        ConnectionOptions.Batches(
            incoming: batches(worker.rawValue),
            outgoing: Topics.gatePublish
        )
    }
}

extension BrokerConnection where Self: ~Copyable {
    package var batchFilters: [String] { [] }

    /// Queues a message that doesn't expire, and whose confirmation is of no interest.
    mutating func publish(
        _ message: OutboundMessage,
        over lane: Int? = nil,
        quality: QualityOfService
    ) throws {
        _ = try publish(message, over: lane, quality: quality, expirySeconds: nil)
    }
}

/// The connection through libmosquitto.
package struct MosquittoConnection: BrokerConnection, ~Copyable {
    private var client: ConnectionSet
    package let batchFilters: [String]

    /// Prepares a connection to receive over, and others to publish over.
    package init(_ options: ConnectionOptions, outlets: Int, waker: Waker) throws {
        batchFilters = options.batches.map { [$0.incoming] } ?? []
        client = try ConnectionSet(options, outlets: outlets, waker: waker)
    }

    package mutating func connect() throws -> Bool { try client.connect() }

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
        over lane: Int?,
        quality: QualityOfService,
        expirySeconds: UInt32?
    ) throws -> Int32 {
        var properties: PublishProperties?
        if message.correlation != nil || expirySeconds != nil {
            properties = PublishProperties(
                correlationData: message.correlation,
                messageExpirySeconds: expirySeconds
            )
        }
        return try client.publish(
            topic: message.topic,
            payload: message.payload,
            lane: lane,
            quality: quality,
            isRetained: message.isRetained,
            properties: properties
        )
    }

    package mutating func acknowledge(_ count: Int) { client.acknowledge(count) }
    package mutating func flush() throws { try client.flush() }
    package mutating func disconnect() { client.disconnect() }
}
