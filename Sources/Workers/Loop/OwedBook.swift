import Logging
import Storage
import Wire

/// Stores what a worker's batches owe in their transaction, and wakes workers and starts slow work after the commit.
struct OwedBook {
    let worker: WorkerName
    let environment: Environment
    let metrics: WorkerMetrics
    let logger: Logger

    // MARK: In the transaction

    /// Stores what is owed; returns the row of this worker's own messages.
    ///
    /// A row behind older ones that are still in the store is later read there in its order.
    func owe(_ owed: Owed, in tx: Transaction) throws -> Int64? {
        for (worker, messages) in owed.others.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            _ = try tx.outbox.add(messages, by: worker.rawValue, isSecret: true)
            // Before the commit, so that the other worker looks in its very next transaction.
            environment.neighbours.wake(worker)
        }
        guard !owed.messages.isEmpty else { return nil }
        return try tx.outbox.add(owed.messages, by: worker.rawValue, isSecret: owed.isSecret)
    }

    /// Stores dead letters; returns the notices of them, which are published once without an outbox.
    func putAside(_ owed: Owed, in tx: Transaction) throws -> [OutboundMessage] {
        // With too little room on the disk they are only counted and logged.
        guard !owed.deadLetters.isEmpty, !environment.disk.isLow else { return [] }
        let first = try tx.deadLetters.add(
            owed.deadLetters.map { ($0.topic, $0.payload, $0.isShapeOnly, $0.reason) },
            worker: worker.rawValue,
            keeping: environment.limits.deadLettersMax
        )
        return owed.deadLetters.enumerated().map { index, letter in
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
    func finish(_ owed: Owed) {
        for worker in owed.woken { environment.neighbours.wake(worker) }
        for job in owed.jobs { job.submit(to: environment.pool) }
        metrics.refused(owed.rejected)
        metrics.droppedHistory(owed.droppedHistory)
        for letter in owed.deadLetters {
            metrics.deadLetter(letter.kind)
            logger.info(
                "A message was put aside",
                metadata: ["message.topic": "\(letter.topic)", "reason": "\(letter.reason)"]
            )
        }
    }
}
