import Batching
import Mosquitto
import Sodium
import Wire
import Workers

/// Finds out whether a broker runs with the gate.
///
/// The gate publishes the messages of a batch; without it the broker takes the batch and drops it. When that is
/// acknowledged, a second message follows on the same topic, as any client sends one. So the first that comes back
/// tells, and no time limit decides: a slow broker is not taken for one without the gate.
struct GateProbe {
    /// A topic of this probe alone, among those of workers' echoes.
    private let topic: String
    private static let batched: Int64 = 1
    private static let plain: Int64 = 2

    /// Prepares a probe among the topics of a service.
    init(_ topics: Topics) {
        topic = topics.system("echo/gate-\(Sodium.randomSecret())")
    }

    /// Makes what a worker asks at each connection to a broker that is not the service's own, with a probe of its own.
    ///
    /// Such a broker may come back without the gate at any time; any client could then say and hear everything.
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

    /// Asks over an open connection of `service:lamplighter`; leaves a subscription to the probe's topic behind.
    ///
    /// - Returns: Nil when nothing comes back within `ServiceLimits.probeAnswerMax`.
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
            // No message of the probe may still be on its way: a worker would take it for a client's.
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

/// A broker that is not the service's own runs without the gate; the broker's monitor ends the service for it.
struct GateMissing: Error, CustomStringConvertible {
    let description = "the broker runs without the gate"
}
