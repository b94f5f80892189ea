import Domain
package import Logging
import Mosquitto
import Storage
import Wire

/// Runs a worker's turns: receive, decide, commit, publish, acknowledge, in that order.
///
/// If anything throws before `flush()`, nothing was acknowledged: the broker delivers the batch again, and the
/// inbox makes the second time harmless. Committed messages are in the outbox and are published again. So a loop
/// that threw is dropped with its connection, and a new one begins.
package struct WorkerLoop<Connection: BrokerConnection & ~Copyable, Handler: BatchHandler>:
    ~Copyable
{
    private var connection: Connection
    private var handler: Handler
    private var publisher: Publisher
    private let writer: EffectWriter
    private var intake = Intake()
    private let environment: Environment
    private let metrics: WorkerMetrics
    private let logger: Logger
    private let reached: (Step) -> Void
    private var poll: PollState
    private var queue: TurnQueue
    private var pace: BatchPace
    private var lateness: Lateness
    private var mayReceive = true
    private var refusals = BrokerRefusals()
    private var mustUnsubscribe: [String] = []

    /// The step of a turn; tests and traces watch it.
    package enum Step: String, Sendable, CaseIterable {
        case read, inTransaction, beforeCommit, committed, published, flushed
    }

    /// Prepares a loop over a connection that has not been opened yet.
    ///
    /// `confirmedRows` are confirmed rows of the outbox that the previous loop could not delete.
    package init(
        _ connection: consuming Connection,
        _ handler: Handler,
        environment: Environment,
        metrics: WorkerMetrics,
        logger: Logger,
        confirmedRows: [Int64] = [],
        reached: @escaping (Step) -> Void = { _ in }
    ) {
        self.connection = connection
        self.handler = handler
        self.environment = environment
        self.metrics = metrics
        self.logger = logger
        self.reached = reached
        writer = EffectWriter(
            worker: handler.name,
            environment: environment,
            metrics: metrics,
            logger: logger
        )
        publisher = Publisher(
            worker: handler.name,
            limits: environment.limits,
            confirmedRows: confirmedRows,
            topics: environment.topics
        )
        poll = PollState(environment.limits)
        queue = TurnQueue(Parties(environment.topics))
        pace = BatchPace(environment.limits)
        lateness = Lateness(handler.name, environment, metrics)
    }

    /// Rows of the outbox that the broker has confirmed, and that are still to be deleted.
    package var confirmedRows: [Int64] { publisher.confirmedRows }

    // MARK: Beginning and end

    /// Connects, subscribes, and publishes that the worker is online.
    package mutating func open() throws {
        let isSessionPresent = try connection.connect()
        try connection.subscribe(
            handler.filters + lateness.filters + connection.batchFilters,
            sendsRetained: false
        )
        if !handler.retainedFilters.isEmpty {
            try connection.subscribe(handler.retainedFilters, sendsRetained: true)
        }
        let now = environment.clock.now
        let fact = "session.\(handler.name.rawValue)"
        let (signals, hadSession) = try environment.store.batch(at: now) { tx in
            let hadSession = try tx.meta.value(fact) != nil
            if !hadSession { try tx.meta.set(fact, to: "begun") }
            return (
                try handler.connected(isSessionPresent: isSessionPresent, in: tx), hadSession
            )
        }
        // The first connection of all has no session to lose.
        if hadSession, !isSessionPresent { metrics.sessionLost() }
        if !isSessionPresent, !handler.sweptFilters.isEmpty {
            try connection.subscribe(handler.sweptFilters, sendsRetained: true)
            mustUnsubscribe = handler.sweptFilters
        }
        for signal in signals { try connection.publish(signal, quality: .atLeastOnce) }
        try publishState(isOnline: true, at: now)
        try environment.store.read { try publisher.lookThrough(in: $0) }
    }

    /// Whether requests wait for their turn, or for slow work.
    package var isAwaiting: Bool { handler.isAwaiting || queue.count > 0 }

    /// Stops receiving: later messages wait for the next connection.
    package mutating func endIntake() { mayReceive = false }

    /// Disconnects; after the last turn, when no acknowledgement is held.
    package mutating func close() {
        if publisher.hasConfirmedRows {
            _ = try? environment.store.batch(at: environment.clock.now) {
                try publisher.deleteConfirmed(in: $0)
            }
        }
        // If this fails, the will says the same.
        try? publishState(isOnline: false, at: environment.clock.now)
        try? connection.flush()
        connection.disconnect()
    }

    private mutating func publishState(isOnline: Bool, at now: Instant) throws {
        let topic = environment.topics.system("worker/\(handler.name.rawValue)")
        let state = SystemCodec.workerState(isOnline: isOnline, ts: now)
        try connection.publish(
            OutboundMessage(topic, state, isRetained: true),
            quality: .atLeastOnce
        )
    }

    // MARK: The path

    /// Runs one turn; returns the number of received and published messages.
    @discardableResult
    package mutating func turn() throws -> (received: Int, published: Int) {
        try receive()
        reached(.read)
        var batch = lateness.takeEchoes(from: queue.next(intake, upTo: pace.size))
        let unfit = UnfitRequests.part(&batch, handler)
        metrics.refused(unfit.counts)
        let notices = try commit(handler.isForOthers(batch) ? [] : batch)
        connection.acknowledge(queue.done())
        let published = try publisher.publish(to: &connection, at: environment.clock.now)
        for notice in notices { try connection.publish(notice, over: 0, quality: .atMostOnce) }
        for signal in unfit.answers + handler.takeSignals() {
            try connection.publish(signal, quality: .atLeastOnce)
        }
        if let echo = lateness.look(queued: queue.oldest, unpublished: publisher.oldest) {
            try connection.publish(echo, over: 0, quality: .atLeastOnce)
        }
        reached(.published)
        try connection.flush()
        reached(.flushed)
        try unsubscribeSwept()
        metrics.turn(received: intake.deliveries.count, published: published)
        metrics.holds(publisher, queue)
        metrics.leftOut(publisher.takeLeftOut())
        return (intake.deliveries.count, published)
    }

    private mutating func receive() throws {
        let limits = environment.limits
        // While much waits to be published, the worker receives nothing: that bounds its memory, and the broker
        // queues new messages meanwhile. Emptying the outbox needs no message.
        let mayReceive =
            mayReceive && !publisher.isBehind && queue.count < limits.intakeMax
            && queue.bytes < limits.intakeBytes
        try connection.receive(
            // While work waits, the worker reads more than it handles: senders take turns among the messages here.
            upTo: mayReceive ? (queue.count == 0 ? limits.batchMax : 4 * limits.batchMax) : 0,
            linger: limits.batchLinger,
            wait: wait(),
            into: &intake
        )
        publisher.confirm(intake.confirmed)
        if let told = refusals.take(intake.confirmed, metrics, at: environment.clock.now) {
            logger.warning("The broker did not take messages of this worker", metadata: told)
        }
    }

    private mutating func wait() -> Duration {
        guard !publisher.needsStore, queue.count == 0 else { return poll.goOn() }
        let now = environment.clock.now
        let pauses = [publisher.pause(at: now).map { .milliseconds($0) }, lateness.pause]
        return poll.wait(
            until: publisher.isBehind ? nil : handler.nextDue,
            pause: pauses.compactMap(\.self).min(),
            hasConfirmedRows: publisher.hasConfirmedRows,
            at: now
        )
    }

    private mutating func mustDeleteConfirmed() -> Bool {
        poll.mustDeleteConfirmed(
            hasConfirmedRows: publisher.hasConfirmedRows,
            hasManyConfirmed: publisher.hasManyConfirmed
        )
    }

    private mutating func unsubscribeSwept() throws {
        guard !mustUnsubscribe.isEmpty, queue.isIdle else { return }
        try connection.unsubscribe(mustUnsubscribe)
        mustUnsubscribe = []
    }

    // MARK: The transaction

    /// Commits a batch and due work; returns notices, which are published once without an outbox.
    private mutating func commit(_ batch: [Inbound]) throws -> [OutboundMessage] {
        let now = environment.clock.now
        let isCalled = environment.wakeups.takeWakeup(of: handler.name)
        let mustLook = poll.mustLook(isCalled: isCalled, isIdle: intake.isEmpty, at: now)
        if mustLook { publisher.lookAgain() }
        if batch.isEmpty, !mustLook, !mustDeleteConfirmed() { return [] }
        // Due work must not add to an outbox that is behind either.
        let isRested = poll.isRested(at: now) && !publisher.isBehind
        if batch.isEmpty, !mustDeleteConfirmed(), try !hasWork(now, isRested: isRested) {
            publisher.take(stored: [])
            return []
        }
        guard mustLook, isRested else { return try commitMessages(batch, at: now) }
        do {
            let notices = try commitAtOnce(batch, mustLook: true, at: now)
            poll.haveDone()
            return notices
        } catch  where Failure.isMessages(error) {
            // Due work has a transaction of its own, so that neither it nor messages suffer from the other's failures.
            let notices = try commitMessages(batch, at: now)
            return try notices + commitDue(at: now)
        }
    }

    private mutating func commitDue(at now: Instant) throws -> [OutboundMessage] {
        do {
            return try commitAtOnce([], mustLook: true, at: now)
        } catch  where Failure.isMessages(error) {
            restFromDue(error, at: now)
            return []
        }
    }

    private mutating func commitMessages(
        _ batch: [Inbound],
        at now: Instant
    ) throws -> [OutboundMessage] {
        do {
            return try commitAtOnce(batch, mustLook: false, at: now)
        } catch  where Failure.isMessages(error) && !batch.isEmpty {
            logger.warning(
                "A batch failed; trying its halves",
                metadata: ["batch.size": "\(batch.count)", "error": "\(Failure.summary(error))"]
            )
            return try commitHalves(batch, at: now)
        }
    }

    private mutating func hasWork(_ now: Instant, isRested: Bool) throws -> Bool {
        do {
            return try environment.store.read { tx in
                if try !publisher.stored(in: tx).isEmpty { return true }
                guard isRested else { return false }
                if let next = handler.nextDue, next <= now { return true }
                return try handler.isDue(in: tx)
            }
        } catch  where Failure.isMessages(error) {
            restFromDue(error, at: now)
            return false
        }
    }

    private mutating func restFromDue(_ error: any Error, at now: Instant) {
        let seconds = poll.restFromDue(at: now)
        metrics.dueFailed()
        logger.error(
            "Due work failed; messages are handled meanwhile",
            metadata: [
                "error": "\(Failure.summary(error))", "retry.seconds": "\(seconds)",
            ]
        )
    }

    private mutating func commitAtOnce(
        _ batch: [Inbound],
        mustLook: Bool,
        at now: Instant
    ) throws -> [OutboundMessage] {
        var handler = handler
        var all: [Effects] = []
        let start = ContinuousClock.now
        let (rows, stored, notices) = try environment.store.batch(at: now) { tx in
            reached(.inTransaction)
            // Another worker committed earlier messages; publish those first.
            if environment.wakeups.isCalled(handler.name) { publisher.lookAgain() }
            try publisher.deleteConfirmed(in: tx)
            // Before this batch's own row is written, which is published behind all earlier ones.
            let stored = try publisher.stored(in: tx)
            if !batch.isEmpty { all.append(try handler.handle(batch, in: tx)) }
            if mustLook, let due = try handler.due(in: tx) { all.append(due) }
            let rows = try all.map { try writer.write($0, in: tx) }
            let notices = try all.flatMap { try writer.keepDeadLetters(of: $0, in: tx) }
            reached(.beforeCommit)
            return (rows, stored, notices)
        }
        self.handler = handler
        let duration = ContinuousClock.now - start
        metrics.committed(after: duration)
        pace.note(batch.count, took: duration)
        reached(.committed)
        publisher.confirmedRowsAreGone()
        poll.haveDeletedConfirmed()
        publisher.take(stored: stored)
        for (effects, row) in zip(all, rows) {
            if let row { publisher.take(effects.messages, row: row) }
            writer.finish(effects)
        }
        return notices
    }

    /// Repeats the halves of a failed batch, until the bad message stands alone and is kept as a dead letter.
    private mutating func commitHalves(
        _ batch: [Inbound],
        at now: Instant
    ) throws -> [OutboundMessage] {
        guard batch.count > 1 else { return try deadLetter(batch, at: now) }
        let middle = batch.count / 2
        var notices: [OutboundMessage] = []
        for half in [Array(batch[..<middle]), Array(batch[middle...])] {
            do {
                notices += try commitAtOnce(half, mustLook: false, at: now)
            } catch  where Failure.isMessages(error) {
                notices += try commitHalves(half, at: now)
            }
        }
        return notices
    }

    private mutating func deadLetter(
        _ batch: [Inbound],
        at now: Instant
    ) throws -> [OutboundMessage] {
        var effects = Effects()
        for message in batch {
            if let failureReply = handler.failureReply(for: message) {
                effects.publish(failureReply)
            }
            effects.deadLetter(
                .failed,
                "the service failed on it",
                topic: message.topicText,
                payload: Payload.shape(of: message.payload),
                isShapeOnly: true
            )
        }
        let bad = effects
        let (row, notices) = try environment.store.batch(at: now) { tx in
            (try writer.write(bad, in: tx), try writer.keepDeadLetters(of: bad, in: tx))
        }
        if let row { publisher.take(bad.messages, row: row) }
        writer.finish(bad)
        return notices
    }
}
