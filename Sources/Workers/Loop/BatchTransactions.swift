import Domain
import Logging
import Storage
import Wire

/// The transactions in which a worker's handler carries out batches and due work.
///
/// If a batch fails, its halves are tried separately. A failed half is split again, until the failing message is alone.
/// That message becomes a dead letter. A batch that took too long is also halved, but makes no dead letter.
struct BatchTransactions<Handler: BatchHandler> {
    private(set) var handler: Handler
    /// The pace, which determines the number of messages in the next batch.
    var pace: BatchPace
    private let writer: EffectWriter
    private let environment: Environment
    private let metrics: WorkerMetrics
    private let logger: Logger
    private let reached: (TurnStep) -> Void

    init(
        _ handler: Handler,
        _ environment: Environment,
        metrics: WorkerMetrics,
        logger: Logger,
        reached: @escaping (TurnStep) -> Void
    ) {
        self.handler = handler
        self.environment = environment
        self.metrics = metrics
        self.logger = logger
        self.reached = reached
        // On a shared database, each request has its own transaction. Larger batches then help only the status worker.
        let isShared = environment.store.isShared
        pace = BatchPace(environment.limits, isElsewhere: isShared && handler.role.name == .status, isShared: isShared)
        writer = EffectWriter(worker: handler.role.name, environment: environment, metrics: metrics, logger: logger)
    }

    /// Prepares the handler for a new connection, and returns messages for the broker.
    mutating func begin(
        isSessionPresent: Bool,
        at now: Instant
    ) throws -> (signals: [OutboundMessage], hadSession: Bool) {
        let fact = "session.\(lane.name)"
        let begun = try environment.store.batch(at: now) { tx in
            let hadSession = try tx.meta.value(fact) != nil
            if !hadSession { try tx.meta.set(fact, to: "begun") }
            // The transaction may run again, so it uses a copy of the handler.
            var handler = handler
            let signals = try handler.connected(isSessionPresent: isSessionPresent, in: tx)
            return (handler: handler, signals: signals, hadSession: hadSession)
        }
        handler = begun.handler
        return (begun.signals, begun.hadSession)
    }

    private var lane: Lane { environment.lane(of: handler.role.name) }

    // MARK: The transaction

    /// Carries out due work; if this work fails, the returned outcome contains the error.
    mutating func carryOutDue(into publisher: inout Publisher, at now: Instant) throws -> CommitOutcome {
        do {
            return try carryOut([], due: true, into: &publisher, at: now)
        } catch  where Failure.isMessages(error) {
            return CommitOutcome(due: .failed(error))
        }
    }

    /// Carries out a batch, or its halves if the batch fails.
    mutating func carryOutMessages(
        _ batch: [Inbound],
        into publisher: inout Publisher,
        at now: Instant
    ) throws -> CommitOutcome {
        do {
            return try carryOut(batch, into: &publisher, at: now)
        } catch  where Failure.mayPass(error, inPartsOf: batch.count) {
            let metadata: Logger.Metadata = ["batch.size": "\(batch.count)", "error": "\(error)"]
            logger.warning("A batch failed; retrying it in halves", metadata: metadata)
            return try carryOutHalves(of: batch, into: &publisher, at: now)
        }
    }

    /// Carries out a batch, and due work if `due` is true, in one transaction.
    ///
    /// The same transaction deletes the outbox's confirmed rows. It also reads rows that other workers left in the
    /// outbox.
    mutating func carryOut(
        _ batch: [Inbound],
        due: Bool = false,
        into publisher: inout Publisher,
        at now: Instant
    ) throws -> CommitOutcome {
        let start = ContinuousClock.now
        var isRunAgain = false
        let (done, credentials) = try environment.store.batch(at: now) { tx in
            // The transaction may run again from the beginning, so it uses a copy of the handler.
            var handler = handler
            var all: [Effects] = []
            reached(.inTransaction)
            // Messages that another worker committed earlier are published first.
            if environment.wakeups.isCalled(lane) { publisher.expectStoredRows() }
            // An earlier run with an unconfirmed commit may have stored a row. That row must be published first.
            if isRunAgain { publisher.expectStoredRows() }
            isRunAgain = true
            try publisher.deleteConfirmed(in: tx)
            // The stored rows are read first, since they must be published before this batch's row.
            let stored = try publisher.stored(in: tx)
            if !batch.isEmpty { all.append(try handler.handle(batch, in: tx)) }
            tx.beginPiece()
            if due, let effects = try handler.due(in: tx) { all.append(effects) }
            let rows = try all.map { try writer.write($0, in: tx) }
            try writer.log(all, in: tx)
            let notices = try all.flatMap { try writer.keepDeadLetters(of: $0, in: tx) }
            let done = (handler: handler, all: all, rows: rows, stored: stored, notices: notices)
            let credentials = try tx.untoldCredentials
            reached(.beforeCommit)
            return (done: done, credentials: credentials)
        }
        handler = done.handler
        note(batch.count, took: ContinuousClock.now - start)
        publisher.forgetConfirmedRows()
        publisher.enqueue(stored: done.stored)
        for (effects, row) in zip(done.all, done.rows) { finish(effects, row, into: &publisher) }
        return CommitOutcome(
            deadLetterNotices: done.notices,
            signals: done.all.flatMap(\.signals),
            credentials: credentials,
            due: due ? .succeeded : .untried
        )
    }

    private mutating func note(_ count: Int, took duration: Duration) {
        metrics.committed(after: duration)
        if !environment.store.isShared { pace.adapt(to: count, took: duration) }
        reached(.committed)
    }

    private func finish(_ effects: Effects, _ row: Int64?, into publisher: inout Publisher) {
        if let row { publisher.enqueue(effects.messages, row: row) }
        publisher.enqueue(readings: effects.readings)
        writer.finish(effects)
    }

    // MARK: A message that fails

    /// Carries out a failed batch in halves, until the failing message is alone.
    private mutating func carryOutHalves(
        of batch: [Inbound],
        into publisher: inout Publisher,
        at now: Instant
    ) throws -> CommitOutcome {
        guard batch.count > 1 else { return try deadLetter(batch, into: &publisher, at: now) }
        let middle = batch.count / 2
        var outcome = CommitOutcome()
        for half in [Array(batch[..<middle]), Array(batch[middle...])] {
            do {
                outcome.add(try carryOut(half, into: &publisher, at: now))
            } catch  where Failure.mayPass(error, inPartsOf: half.count) {
                outcome.add(try carryOutHalves(of: half, into: &publisher, at: now))
            }
        }
        return outcome
    }

    private func deadLetter(
        _ batch: [Inbound],
        into publisher: inout Publisher,
        at now: Instant
    ) throws -> CommitOutcome {
        let rejection = Rejection(.internal, "The service failed on this message.")
        var effects = Effects()
        for message in batch {
            let answer = environment.topics.refusal(of: message, rejection, by: handler)
            if let answer { effects.publish(answer) }
            effects.deadLetter(
                .failed,
                "the service failed on the message",
                topic: message.topicText,
                payload: Payload.shape(of: message.payload),
                isShapeOnly: true,
                trace: message.trace
            )
        }
        let bad = effects
        let (row, notices) = try environment.store.batch(at: now) { tx in
            (try writer.write(bad, in: tx), try writer.keepDeadLetters(of: bad, in: tx))
        }
        finish(bad, row, into: &publisher)
        return CommitOutcome(deadLetterNotices: notices)
    }
}

/// A step of a worker's turn, for tests and traces.
package enum TurnStep: String, Sendable, CaseIterable {
    case read, inTransaction, beforeCommit, committed, published, flushed
}
