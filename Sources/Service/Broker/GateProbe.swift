import Batching
import Mosquitto
import Sodium
import Wire

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

    /// Asks over an open connection of `service:lamplighter`; leaves a subscription to the probe's topic behind.
    ///
    /// - Returns: Nil when nothing comes back within `ServiceLimits.probeAnswerMax`.
    func isGatePresent(over client: inout MosquittoClient) throws -> Bool? {
        try client.subscribe([topic])
        try client.publish(topic: Topics.gatePublish, payload: batch)
        var isPlainSent = false
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
            if let first = intake.deliveries.first {
                try client.flush()
                return SystemCodec.decode(echo: intake.bytes[first.payload]) == Self.batched
            }
            if !isPlainSent, client.unconfirmed == 0 {
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
