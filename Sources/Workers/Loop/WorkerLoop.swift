import Domain
package import Logging
import Mosquitto
import Storage
import Wire

/// A worker's loop, which in each turn receives, decides, commits, publishes and acknowledges, in this order.
///
/// If a step before `flush()` throws, nothing has been acknowledged. The broker then delivers the batch again. The
/// inbox ensures that no message takes effect twice. Committed messages are in the outbox and are published again.
/// Therefore, a loop that has thrown is dropped with its connection. A new loop then begins.
package struct WorkerLoop<Connection: BrokerConnection & ~Copyable, Handler: BatchHandler>: ~Copyable {
    var connection: Connection
    var transactions: BatchTransactions<Handler>
    var publisher: Publisher
    var intake = Intake()
    let environment: Environment
    let metrics: WorkerMetrics
    let logger: Logger
    let reached: (TurnStep) -> Void
    var poll: PollState
    var queue: TurnQueue
    var lateness: Lateness
    var mayReceive = true
    var refusals = BrokerRefusals()
    var mustUnsubscribe: [String] = []

    var handler: Handler { transactions.handler }
    var lane: Lane { environment.lane(of: handler.role.name) }

    /// Prepares a loop over a connection that is not open yet.
    ///
    /// `confirmedRows` are the rows of the outbox that the broker has confirmed and that the previous loop has not
    /// deleted.
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
        transactions = BatchTransactions(handler, environment, metrics: metrics, logger: logger, reached: reached)
        publisher = Publisher(
            worker: environment.lane(of: handler.role.name).name,
            limits: environment.limits,
            confirmedRows: confirmedRows,
            topics: environment.topics
        )
        poll = PollState(environment.limits, isShared: environment.plan.isShared)
        let holds = !handler.role.name.services.isEmpty
        queue = TurnQueue(
            Parties(environment.topics, longReadings: handler.role.longReadings),
            budget: holds ? environment.answers : nil,
            environment.limits
        )
        lateness = Lateness(handler.role.name, environment, metrics: metrics)
    }

    /// The rows of the outbox that the broker has confirmed and that must still be deleted.
    package var confirmedRows: [Int64] { publisher.confirmedRows }

    /// True while messages are waiting to be published, or to be confirmed by the broker.
    package var isPublishing: Bool { backlog > 0 || publisher.needsStore }

    /// The number of messages in memory that wait for publication or confirmation.
    package var backlog: Int { publisher.backlog }

    /// Whether requests are waiting for their turn, or for slow work.
    package var isAwaiting: Bool {
        get throws { try handler.waiting(in: nil).isAwaiting || queue.count > 0 || queue.held.count > 0 }
    }

    /// Stops receiving, but still publishes the messages that other workers have stored in the outbox.
    package mutating func endIntake() {
        mayReceive = false
        publisher.expectStoredRows()
        queue.endHolding()
    }

    // MARK: Opening and closing

    /// Connects, subscribes, and announces that the worker is online.
    package mutating func open() throws {
        let isSessionPresent = try connection.connect()
        let subscriptions = handler.role.subscriptions
        let new =
            subscriptions.new + lateness.filters + connection.batchFilters
            + (environment.plan.isShared ? [wakeTopic] : [])
        try connection.subscribe(new, sendsRetained: false)
        try connection.subscribe(subscriptions.fleeting, sendsRetained: false, quality: .atMostOnce)
        try connection.subscribe(subscriptions.retained, sendsRetained: true)
        let now = environment.clock.now
        let start = try transactions.begin(isSessionPresent: isSessionPresent, at: now)
        // A lane's very first connection can't have lost an MQTT session.
        if start.hadSession, !isSessionPresent { metrics.sessionLost() }
        if !isSessionPresent { try connection.subscribe(subscriptions.swept, sendsRetained: true) }
        // The worker ends these subscriptions even if this connection has not begun them, because an earlier
        // connection may have begun them before it was lost.
        mustUnsubscribe = subscriptions.swept
        for signal in start.signals { try connection.publish(signal, quality: .atLeastOnce) }
        try publishState(isOnline: true, at: now)
        // The signals and the state are flushed before a message is received. Later, they would have to wait for the
        // acknowledgements of received messages.
        try connection.flush()
        try environment.store.read { try publisher.findLeftovers(in: $0) }
    }

    /// Disconnects after the last turn, when all received messages have been acknowledged.
    package mutating func close() {
        let now = environment.clock.now
        if publisher.hasConfirmedRows {
            _ = try? environment.store.batch(at: now) { try publisher.deleteConfirmed(in: $0) }
        }
        // If this state can't be published, the broker publishes the will. The will also says that the worker is
        // offline.
        try? publishState(isOnline: false, at: now)
        try? connection.flush()
        connection.disconnect()
    }

    /// Publishes whether the worker is online, unless the session worker publishes all states.
    private mutating func publishState(isOnline: Bool, at now: Instant) throws {
        guard !environment.plan.isShared else { return }
        let state = OutboundMessage(
            environment.topics.system("worker/\(handler.role.name.rawValue)"),
            SystemCodec.workerState(isOnline: isOnline, ts: now),
            isRetained: true
        )
        try connection.publish(state, quality: .atLeastOnce)
    }
}
