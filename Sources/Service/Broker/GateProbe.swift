import Batching
import Mosquitto
import Sodium
import Wire
import Workers

/// A test that finds out whether a broker runs with the gate.
///
/// The probe first sends a message in a message batch. The gate publishes the messages of a batch. Without the gate,
/// the broker acknowledges the batch and drops it. If only the acknowledgment arrives, the probe publishes a plain
/// message on the same topic. If the batched message arrives first, the broker has the gate. If the plain message
/// arrives first, the broker runs without the gate. A timeout decides nothing, so a slow broker isn't mistaken for a
/// broker without the gate.
struct GateProbe {
    private let topic: String
    private static let batched: Int64 = 1
    private static let plain: Int64 = 2

    /// Prepares a probe with a topic of its own among the service's topics.
    init(_ topics: Topics) {
        topic = topics.system("echo/gate-\(Sodium.randomSecret())")
    }

    /// Returns the check for new connections to a broker that the service didn't start.
    ///
    /// Such a broker can be restarted without the gate. Every client could then send and read everything.
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

    /// Finds out whether the broker has the gate.
    ///
    /// The client is connected as `service:lamplighter`, and stays subscribed to the probe's topic.
    ///
    /// - Returns: Whether the gate is there, or nil if no message arrives within `ServiceLimits.probeAnswerMax`.
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
            // The probe waits for all its messages. If the probe ended earlier, the worker that uses this connection
            // would receive the last message, and would treat it as a client's message.
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

/// The error that the check of `GateProbe.proof` throws if an operator's broker runs without the gate.
///
/// The broker's monitor uses the probe too, on its own connection, and ends the service if the gate is missing.
struct GateMissing: Error, CustomStringConvertible { let description = "the broker runs without the gate" }
