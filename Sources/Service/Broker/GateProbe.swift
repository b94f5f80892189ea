import Batching
import Mosquitto
import Sodium
import Wire
import Workers

/// A probe that finds out whether a broker runs with the gate.
///
/// The gate publishes the messages of a batch; without the gate, the broker acknowledges the batch and drops it. After
/// the acknowledgment, the probe publishes a plain message on the same topic. The message that is received first
/// decides, not a time limit, so a slow broker isn't mistaken for a broker without the gate.
struct GateProbe {
    /// A topic that only this probe uses, among the topics of workers' echoes.
    private let topic: String
    private static let batched: Int64 = 1
    private static let plain: Int64 = 2

    /// Prepares a probe among the topics of a service.
    init(_ topics: Topics) {
        topic = topics.system("echo/gate-\(Sodium.randomSecret())")
    }

    /// Returns the check that a worker makes, with a new probe, at each connection to a broker that isn't the service's
    /// own.
    ///
    /// That broker can restart without the gate at any time; any client could then send and read everything.
    static func proof(_ topics: Topics) -> BrokerProof {
        { client in
            let probe = GateProbe(topics)
            switch try probe.isGatePresent(over: &client) {
            case true?: try client.unsubscribe([probe.topic])
            case false?: throw GateMissing()
            case nil: throw MosquittoError(.timeout, function: "the probe of the gate")
            }
        }
    }

    /// Returns whether the broker of an open connection of `service:lamplighter` has the gate.
    ///
    /// The subscription to the probe's topic is left behind.
    ///
    /// - Returns: Nil if nothing is received within `ServiceLimits.probeAnswerMax`.
    func isGatePresent(over client: inout MosquittoClient) throws -> Bool? {
        try client.subscribe([topic])
        try client.publish(topic: Topics.gatePublish, payload: batch)
        var (first, isPlainSent, answers) = (Int64?.none, false, 0)
        var intake = Intake()
        let end = ContinuousClock.now + ServiceLimits.probeAnswerMax
        while ContinuousClock.now < end {
            try client.flush()
            try client.receive(
                upTo: 1,
                linger: .zero,
                wait: .milliseconds(100),
                into: &intake
            )
            for delivery in intake.deliveries {
                first = first ?? SystemCodec.decode(echo: intake.bytes[delivery.payload])
                answers += 1
            }
            if first == Self.plain { return false }
            // Waits for every message of the probe: a worker would take a late one for a client's.
            if first != nil, answers == (isPlainSent ? 2 : 1), client.unconfirmed == 0 {
                try client.flush()
                return true
            }
            if first == nil, !isPlainSent, client.unconfirmed == 0 {
                try client.publish(
                    topic: topic,
                    payload: SystemCodec.echo(Self.plain, seen: 0)
                )
                isPlainSent = true
            }
        }
        return nil
    }

    private var batch: [UInt8] {
        var writer = BatchWriter()
        Array(topic.utf8).withUnsafeBufferPointer { topic in
            SystemCodec.echo(Self.batched, seen: 0).withUnsafeBufferPointer { payload in
                writer.append(BatchedMessage(topic: topic, payload: payload))
            }
        }
        return writer.bytes
    }
}

/// The error when a broker that isn't the service's own runs without the gate; the broker's monitor then ends the
/// service.
struct GateMissing: Error, CustomStringConvertible { let description = "the broker runs without the gate" }
