import Logging
import Storage
import Wire

/// Stores the effects of a worker's batches in their transaction; wakes workers and starts slow work after the commit.
struct EffectWriter {
    let worker: WorkerName
    let environment: Environment
    let metrics: WorkerMetrics
    let logger: Logger

    // MARK: In the transaction

    /// Stores the messages; returns their row in the outbox.
    ///
    /// A row behind older ones that are still in the store is later read there in its order.
    func write(_ effects: Effects, in tx: Transaction) throws -> Int64? {
        guard !effects.messages.isEmpty else { return nil }
        return try tx.outbox.add(effects.messages, by: worker.rawValue, isSecret: effects.isSecret)
    }

    /// Stores dead letters; returns the notices of them, which are published once without an outbox.
    func keepDeadLetters(of effects: Effects, in tx: Transaction) throws -> [OutboundMessage] {
        // With too little room on the disk they are only counted and logged.
        guard !effects.deadLetters.isEmpty, !environment.disk.isLow else { return [] }
        let first = try tx.deadLetters.add(
            effects.deadLetters.map { ($0.topic, $0.payload, $0.isShapeOnly, $0.reason) },
            worker: worker.rawValue,
            keeping: environment.limits.deadLettersMax
        )
        return effects.deadLetters.enumerated().map { index, letter in
            OutboundMessage(
                environment.topics.system("dead-letter"),
                SystemCodec.deadLetter(
                    id: first + Int64(index),
                    topic: letter.topic,
                    reason: letter.reason,
                    worker: worker.rawValue,
                    ts: tx.now
                )
            )
        }
    }

    // MARK: After the commit

    /// Wakes workers with new work, begins slow work, and updates the metrics.
    func finish(_ effects: Effects) {
        for worker in effects.woken { environment.wakeups.wake(worker) }
        for job in effects.jobs { job.submit(to: environment.pool) }
        metrics.refused(effects.rejected)
        metrics.droppedHistory(effects.droppedHistory)
        for letter in effects.deadLetters {
            metrics.deadLetter(letter.kind)
            logger.info(
                "A message became a dead letter",
                metadata: ["message.topic": "\(letter.topic)", "reason": "\(letter.reason)"]
            )
        }
    }
}
