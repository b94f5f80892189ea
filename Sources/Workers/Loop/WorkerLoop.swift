import Domain
package import Logging
import Mosquitto
import Storage
import Wire

/// The loop of a worker's turns: receive, decide, commit, publish and acknowledge, in that order.
///
/// If anything throws before `flush()`, nothing was acknowledged: the broker delivers the batch
/// again, and the inbox makes the second time harmless. Committed messages are in the outbox and
/// are published again. So a loop that threw is dropped with its connection, and a new one begins.
package struct WorkerLoop<Connection: BrokerConnection & ~Copyable, Handler: BatchHandler>:
    ~Copyable
{
    var connection: Connection
    var committer: BatchCommitter<Handler>
    var publisher: Publisher
    var intake = Intake()
    let environment: Environment
    let metrics: WorkerMetrics
    let logger: Logger
    private let reached: (TurnStep) -> Void
    var poll: PollState
    var queue: TurnQueue
    var lateness: Lateness
    var mayReceive = true
    var refusals = BrokerRefusals()
    private var mustUnsubscribe: [String] = []

    var handler: Handler { committer.handler }
    var lane: Lane { environment.lane(of: handler.name) }

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
        reached: @escaping (TurnStep) -> Void = { _ in }
    ) {
        self.connection = connection
        self.environment = environment
        self.metrics = metrics
        self.logger = logger
        self.reached = reached
        committer = BatchCommitter(
            handler,
            environment,
            metrics: metrics,
            logger: logger,
            reached: reached
        )
        publisher = Publisher(
            worker: environment.lane(of: handler.name).name,
            limits: environment.limits,
            confirmedRows: confirmedRows,
            topics: environment.topics
        )
        poll = PollState(environment.limits, isShared: environment.plan.isShared)
        let holds = !handler.name.services.isEmpty
        queue = TurnQueue(
            Parties(environment.topics, longReadings: handler.longReadings),
            budget: holds ? environment.answers : nil,
            environment.limits
        )
        lateness = Lateness(handler.name, environment, metrics: metrics)
    }

    /// Rows of the outbox that the broker has confirmed and that must still be deleted.
    package var confirmedRows: [Int64] { publisher.confirmedRows }

    /// Whether messages are unpublished, or not confirmed by the broker.
    package var isPublishing: Bool { backlog > 0 || publisher.needsStore }

    /// The number of messages in memory that wait, or that the broker has not confirmed.
    package var backlog: Int { publisher.backlog }

    /// Whether requests wait for their turn, or for slow work.
    package var isAwaiting: Bool { handler.isAwaiting || queue.count > 0 || queue.held.count > 0 }

    /// Stops receiving: later messages wait for the next connection.
    ///
    /// Messages that others have left in the outbox by now are still published.
    package mutating func endIntake() {
        mayReceive = false
        publisher.lookAgain()
        queue.endHolding()
    }

    /// The maximum number of credentials in a message: the gate reads at most 64 KiB of commands,
    /// and a record takes up to 700 digits.
    private static var credentialsInAMessage: Int { 60 }

    // MARK: Open, turn, close

    /// Connects, subscribes, and publishes that the worker is online.
    package mutating func open() throws {
        let isSessionPresent = try connection.connect()
        let subscriptions = handler.subscriptions
        let new =
            subscriptions.new + lateness.filters + connection.batchFilters
            + (environment.plan.isShared ? [wakeTopic] : [])
        try connection.subscribe(new, sendsRetained: false)
        try connection.subscribe(subscriptions.retained, sendsRetained: true)
        let now = environment.clock.now
        let start = try committer.begin(isSessionPresent: isSessionPresent, at: now)
        // The very first connection has no session to lose.
        if start.hadSession, !isSessionPresent { metrics.sessionLost() }
        if !isSessionPresent {
            try connection.subscribe(subscriptions.swept, sendsRetained: true)
        }
        // Set even without new subscriptions: an earlier connection may have ended before it
        // unsubscribed.
        mustUnsubscribe = subscriptions.swept
        for signal in start.signals { try connection.publish(signal, quality: .atLeastOnce) }
        try publishState(isOnline: true, at: now)
        // Flushed before messages arrive, or these would wait for their acknowledgements.
        try connection.flush()
        try environment.store.read { try publisher.lookThrough(in: $0) }
    }

    /// Runs one turn; returns the numbers of received and published messages.
    @discardableResult
    package mutating func turn() throws -> (received: Int, published: Int) {
        try receive()
        reached(.read)
        let (batch, answers) = takeBatch()
        let outcome = try commit(handler.isForOthers(batch) ? [] : batch)
        // Only released here: `flush()` sends them after the published messages.
        connection.acknowledge(queue.done())
        try teach(outcome.credentials)
        let published = try publisher.publish(to: &connection, at: environment.clock.now)
        try publish(outcome, answers: answers)
        reached(.published)
        try connection.flush()
        reached(.flushed)
        try unsubscribeWhenSwept()
        note(published: published)
        return (intake.deliveries.count, published)
    }

    /// Takes the messages whose turn it is, and the answers to requests that are refused at once.
    private mutating func takeBatch() -> (batch: [Inbound], answers: [OutboundMessage]) {
        let pace = committer.pace.size
        let next = queue.next(intake, upTo: pace, at: environment.clock.steady)
        var batch = lateness.takeEchoes(from: takeWakeups(from: next))
        var unfit = UnfitRequests.part(&batch, handler)
        for (message, rejection) in queue.takeRefused() {
            UnfitRequests.refuse(message, rejection, by: handler, into: &unfit)
        }
        log(unfit.refused)
        return (batch, unfit.answers)
    }

    /// Publishes messages that need no outbox: notices, signals and answers.
    private mutating func publish(
        _ outcome: BatchCommitter<Handler>.Outcome,
        answers: [OutboundMessage]
    ) throws {
        // Over the receiving connection the notices would wait behind held acknowledgements.
        try connection.publish(outcome.deadLetterNotices, over: 0, quality: .atMostOnce)
        let echo = lateness.look(queued: queue.oldest, unpublished: publisher.oldest)
        let signals = answers + outcome.signals + [echo].compactMap(\.self)
        try connection.publish(signals, over: 0, quality: .atLeastOnce)
    }

    /// Ends the subscriptions to retained messages that are needed once, when all were handled.
    private mutating func unsubscribeWhenSwept() throws {
        guard queue.isIdle, !mustUnsubscribe.isEmpty else { return }
        try connection.unsubscribe(mustUnsubscribe)
        mustUnsubscribe = []
    }

    private mutating func note(published: Int) {
        metrics.turn(received: intake.deliveries.count, published: published)
        metrics.holds(publisher, queue)
        metrics.leftOut(publisher.takeLeftOut())
    }

    /// Sends changed credentials to a gate on another machine, before the answers that depend on
    /// them.
    ///
    /// They are sent over each connection that these answers can take, since only the messages of
    /// one connection stay in order.
    private mutating func teach(_ credentials: [String]) throws {
        guard !credentials.isEmpty else { return }
        for start in stride(from: 0, to: credentials.count, by: Self.credentialsInAMessage) {
            let part = Array(credentials[start...].prefix(Self.credentialsInAMessage))
            let lesson = OutboundMessage(Topics.gateControl, SystemCodec.gate([.learn(part)]))
            for outlet in 0..<max(1, environment.limits.outlets) {
                try connection.publish(lesson, over: outlet, quality: .atLeastOnce)
            }
        }
    }

    private func log(_ refused: [RefusedMessage]) {
        guard !refused.isEmpty else { return }
        var effects = Effects()
        for message in refused { effects.observed.note(message) }
        metrics.refused(Dictionary(refused.map { ($0.code, 1) }, uniquingKeysWith: +))
        ObservationLog(logger: logger, bounded: environment.refusalLog).tell(effects)
    }

    /// Disconnects after the last turn, when no acknowledgement is held.
    package mutating func close() {
        let now = environment.clock.now
        if publisher.hasConfirmedRows {
            _ = try? environment.store.batch(at: now) { try publisher.deleteConfirmed(in: $0) }
        }
        // If this fails, the will reports the same.
        try? publishState(isOnline: false, at: now)
        try? connection.flush()
        connection.disconnect()
    }

    /// Publishes whether the worker is online; if processes share the work, the session worker does
    /// so by the leases.
    private mutating func publishState(isOnline: Bool, at now: Instant) throws {
        guard !environment.plan.isShared else { return }
        let state = OutboundMessage(
            environment.topics.system("worker/\(handler.name.rawValue)"),
            SystemCodec.workerState(isOnline: isOnline, ts: now),
            isRetained: true
        )
        try connection.publish(state, quality: .atLeastOnce)
    }
}
