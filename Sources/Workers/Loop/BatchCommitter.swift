import Domain
import Logging
import Storage
import Wire

/// The committer of a worker's batches, each in one transaction, or in one for each of its parts on
/// a shared database.
///
/// If a batch fails, its halves are committed, until the failing message stands alone and becomes a
/// dead letter. A batch whose transaction lasted too long is halved, too, but no message is to
/// blame then, and none becomes a dead letter.
struct BatchCommitter<Handler: BatchHandler> {
    /// The results of a commit.
    struct Outcome {
        /// Notices of dead letters, each published once.
        var deadLetterNotices: [OutboundMessage] = []
        /// Messages that need no outbox.
        var signals: [OutboundMessage] = []
        /// Changes of credentials, which a gate on another machine must receive before all
        /// messages.
        var credentials: [String] = []
        /// The outcome of due work.
        var due = Due.untried

        fileprivate mutating func add(_ other: Outcome) {
            credentials += other.credentials
            deadLetterNotices += other.deadLetterNotices
            signals += other.signals
        }
    }

    /// The outcome of due work.
    enum Due {
        case untried, succeeded
        case failed(any Error)
    }

    private(set) var handler: Handler
    private(set) var pace: BatchPace
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
        // On a shared database requests have a transaction each; their answers leave soon if
        // batches are small.
        let isShared = environment.store.isShared
        pace = BatchPace(
            environment.limits,
            isElsewhere: isShared && handler.name == .status,
            isShared: isShared
        )
        writer = EffectWriter(
            worker: handler.name,
            environment: environment,
            metrics: metrics,
            logger: logger
        )
    }

    /// Lets the handler prepare after connecting.
    ///
    /// Returns messages for the broker, and whether the lane has connected to any broker before.
    mutating func begin(
        isSessionPresent: Bool,
        at now: Instant
    ) throws -> (signals: [OutboundMessage], hadSession: Bool) {
        let fact = "session.\(lane.name)"
        let begun = try environment.store.batch(at: now) { tx in
            let hadSession = try tx.meta.value(fact) != nil
            if !hadSession { try tx.meta.set(fact, to: "begun") }
            // The transaction may run again.
            var handler = handler
            let signals = try handler.connected(isSessionPresent: isSessionPresent, in: tx)
            return (handler: handler, signals: signals, hadSession: hadSession)
        }
        handler = begun.handler
        return (begun.signals, begun.hadSession)
    }

    private var lane: Lane { environment.lane(of: handler.name) }

    // MARK: The transaction

    /// Commits a batch, and due work if `due`; hands their messages to the publisher.
    ///
    /// Deletes confirmed rows, and reads rows that others left, in the same transaction.
    /// - Throws: An error that no message causes, after which the connection and the loop can't go
    ///   on.
    mutating func commit(
        _ batch: [Inbound],
        due: Bool,
        into publisher: inout Publisher,
        at now: Instant
    ) throws -> Outcome {
        if environment.store.isShared {
            return try commitParts(batch, due: due, into: &publisher, at: now)
        }
        guard due else { return try commitMessages(batch, into: &publisher, at: now) }
        do {
            return try commitAtOnce(batch, due: true, into: &publisher, at: now)
        } catch  where Failure.isMessages(error) {
            // Retries due work in a separate transaction, so that neither it nor messages suffer
            // from the other's failure.
            var outcome = try commitMessages(batch, into: &publisher, at: now)
            let own = try commitDue(into: &publisher, at: now)
            outcome.add(own)
            outcome.due = own.due
            return outcome
        }
    }

    /// Commits the parts of a batch, and then due work, each in a separate transaction.
    private mutating func commitParts(
        _ batch: [Inbound],
        due: Bool,
        into publisher: inout Publisher,
        at now: Instant
    ) throws -> Outcome {
        var outcome = Outcome()
        let start = ContinuousClock.now
        for part in handler.parts(of: batch) {
            outcome.add(try commitMessages(part, into: &publisher, at: now))
        }
        // Answers are sent when all parts are done.
        pace.note(batch.count, took: ContinuousClock.now - start)
        guard due || batch.isEmpty else { return outcome }
        repeat {
            let own =
                due
                ? try commitDue(into: &publisher, at: now)
                : try commitMessages([], into: &publisher, at: now)
            outcome.add(own)
            outcome.due = own.due
            if case .failed = own.due { break }
        } while due && handler.canRelease
        return outcome
    }

    private mutating func commitDue(
        into publisher: inout Publisher,
        at now: Instant
    ) throws -> Outcome {
        do {
            return try commitAtOnce([], due: true, into: &publisher, at: now)
        } catch  where Failure.isMessages(error) {
            return Outcome(due: .failed(error))
        }
    }

    private mutating func commitMessages(
        _ batch: [Inbound],
        into publisher: inout Publisher,
        at now: Instant
    ) throws -> Outcome {
        do {
            return try commitAtOnce(batch, due: false, into: &publisher, at: now)
        } catch  where Failure.mayPass(error, inPartsOf: batch.count) {
            logger.warning(
                "A batch failed; retrying it in halves",
                metadata: ["batch.size": "\(batch.count)", "error": "\(Failure.summary(error))"]
            )
            return try commitHalves(batch, into: &publisher, at: now)
        }
    }

    private mutating func commitAtOnce(
        _ batch: [Inbound],
        due: Bool,
        into publisher: inout Publisher,
        at now: Instant
    ) throws -> Outcome {
        let start = ContinuousClock.now
        var isRunAgain = false
        let (done, credentials) = try environment.store.batch(at: now) { tx in
            // The transaction may run again, from the beginning.
            var handler = handler
            var all: [Effects] = []
            reached(.inTransaction)
            // Another worker committed earlier messages; publish those first.
            if environment.wakeups.isCalled(lane) { publisher.lookAgain() }
            // An earlier run whose commit was not confirmed may have left its row, which precedes
            // this run's row.
            if isRunAgain { publisher.lookAgain() }
            isRunAgain = true
            try publisher.deleteConfirmed(in: tx)
            // Read before this batch's row is written, which is published after all earlier rows.
            let stored = try publisher.stored(in: tx)
            if !batch.isEmpty { all.append(try handler.handle(batch, in: tx)) }
            tx.beginPiece()
            if due, let effects = try handler.due(in: tx) { all.append(effects) }
            let rows = try all.map { try writer.write($0, in: tx) }
            let notices = try all.flatMap { try writer.keepDeadLetters(of: $0, in: tx) }
            let done = (handler: handler, all: all, rows: rows, stored: stored, notices: notices)
            let credentials = try tx.untoldCredentials
            reached(.beforeCommit)
            return (done: done, credentials: credentials)
        }
        handler = done.handler
        note(batch.count, took: ContinuousClock.now - start)
        publisher.confirmedRowsAreGone()
        publisher.take(stored: done.stored)
        for (effects, row) in zip(done.all, done.rows) { finish(effects, row, into: &publisher) }
        return Outcome(
            deadLetterNotices: done.notices,
            signals: done.all.flatMap(\.signals),
            credentials: credentials,
            due: due ? .succeeded : .untried
        )
    }

    private mutating func note(_ count: Int, took duration: Duration) {
        metrics.committed(after: duration)
        if !environment.store.isShared { pace.note(count, took: duration) }
        reached(.committed)
    }

    private func finish(_ effects: Effects, _ row: Int64?, into publisher: inout Publisher) {
        if let row { publisher.take(effects.messages, row: row) }
        publisher.take(readings: effects.readings)
        writer.finish(effects)
    }

    // MARK: A message that fails

    /// Commits the halves of a failed batch, until the bad message stands alone and becomes a dead
    /// letter.
    private mutating func commitHalves(
        _ batch: [Inbound],
        into publisher: inout Publisher,
        at now: Instant
    ) throws -> Outcome {
        guard batch.count > 1 else { return try deadLetter(batch, into: &publisher, at: now) }
        let middle = batch.count / 2
        var outcome = Outcome()
        for half in [Array(batch[..<middle]), Array(batch[middle...])] {
            do {
                outcome.add(try commitAtOnce(half, due: false, into: &publisher, at: now))
            } catch  where Failure.mayPass(error, inPartsOf: half.count) {
                outcome.add(try commitHalves(half, into: &publisher, at: now))
            }
        }
        return outcome
    }

    private func deadLetter(
        _ batch: [Inbound],
        into publisher: inout Publisher,
        at now: Instant
    ) throws -> Outcome {
        let rejection = Rejection(.internal, "The service failed on this message.")
        var effects = Effects()
        for message in batch {
            if let answer = handler.refusal(of: message, rejection) { effects.publish(answer) }
            effects.deadLetter(
                .failed,
                "the service failed on it",
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
        return Outcome(deadLetterNotices: notices)
    }
}

/// A step of a turn, which tests and traces observe.
package enum TurnStep: String, Sendable, CaseIterable {
    case read, inTransaction, beforeCommit, committed, published, flushed
}
