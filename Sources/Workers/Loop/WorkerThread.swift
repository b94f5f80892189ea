package import Domain
import Glibc
package import Logging
package import Mosquitto
import Storage
import Synchronization
import Wire

/// A thread that runs a worker or one lane, and restarts it after failures.
///
/// Calls of libmosquitto and SQLite block the thread. Therefore, a worker never runs on Swift's cooperative thread
/// pool.
package final class WorkerThread: Sendable {
    private let options: ConnectionOptions
    private let proof: BrokerProof?
    private let environment: Environment
    private let logger: Logger
    private let lane: Lane
    /// The lane's lease, or nil if one process does all the work.
    private let lease: LaneLease?
    private let isStopping = Atomic<Bool>(false)
    private let isAbandoned = Atomic<Bool>(false)
    private let hasBegun = Atomic<Bool>(false)
    private let metrics: WorkerMetrics
    private let waker: Waker
    /// The outbox rows that the broker confirmed before the last failure, and that must not be published again.
    private let confirmedRows = Mutex<[Int64]>([])

    /// Prepares a worker's thread with the broker's address and password from `options`.
    ///
    /// A second instance of the worker has its own `clientID`. `proof` checks the broker before the worker receives
    /// messages.
    package convenience init(
        _ name: WorkerName,
        clientID: String? = nil,
        options: ConnectionOptions,
        proof: BrokerProof? = nil,
        environment: Environment,
        logger: Logger
    ) throws {
        var options = options
        options.clientID = clientID ?? name.clientID
        // The gate accepts message batches only from the service's own workers.
        options.batches = clientID == nil ? environment.topics.batches(of: Lane(name)) : nil
        options.will = .init(
            topic: environment.topics.system("worker/\(name.rawValue)"),
            payload: SystemCodec.workerState(isOnline: false, ts: environment.clock.now),
            isRetained: true
        )
        try self.init(Lane(name), lease: nil, options: options, proof: proof, environment: environment, logger: logger)
    }

    /// Prepares a lane's thread, which also ends when another process takes the lane.
    convenience init(
        _ lease: LaneLease,
        options: ConnectionOptions,
        proof: BrokerProof?,
        environment: Environment,
        logger: Logger
    ) throws {
        var options = options
        options.clientID = lease.lane.clientID
        options.batches = environment.topics.batches(of: lease.lane)
        options.will = nil
        let own = environment.taking(lease)
        try self.init(lease.lane, lease: lease, options: options, proof: proof, environment: own, logger: logger)
    }

    private init(
        _ lane: Lane,
        lease: LaneLease?,
        options: ConnectionOptions,
        proof: BrokerProof?,
        environment: Environment,
        logger: Logger
    ) throws {
        self.proof = proof
        self.lane = lane
        self.lease = lease
        self.environment = environment
        var logger = logger
        logger[metadataKey: "worker"] = "\(lane.name)"
        self.logger = logger
        metrics = WorkerMetrics(lane)
        waker = try environment.wakeups.waker(of: lane) ?? Waker()
        var options = options
        options.receiveMaximum = environment.limits.receiveMaximum
        options.sendMaximum = environment.limits.sendMaximum
        self.options = options
        environment.health.notReady(lane.name, "not connected to the broker yet")
    }

    /// Runs until `stop` is called, and returns when the worker has finished its work and disconnected.
    package func run() async { await PlainThread.run { self.work() } }

    /// Runs until `stop` is called or the lane is lost, then calls `ended`.
    func start(_ ended: @escaping @Sendable () -> Void) {
        PlainThread.detach {
            self.work()
            ended()
        }
    }

    /// Asks the worker to finish its turn, disconnect and return.
    package func stop() {
        isStopping.store(true, ordering: .releasing)
        waker.wake()
    }

    /// Asks a lane to end immediately, without disconnecting from the broker.
    func abandon() {
        isAbandoned.store(true, ordering: .releasing)
        stop()
    }

    private var mustStop: Bool { isStopping.load(ordering: .acquiring) }

    private func work() {
        var backoff = Backoff(limit: environment.limits.reconnectMax)
        var isFirst = true
        while !mustStop {
            if mustRest {
                rest()
                continue
            }
            if lease?.isTrusted == false {
                pause(.milliseconds(20))
                continue
            }
            if !isFirst { metrics.reconnected() }
            isFirst = false
            do {
                switch lane.worker {
                case .status: try live(StatusHandler(environment), &backoff)
                case .control: try live(ControlHandler(environment), &backoff)
                case .account: try live(RequestHandler.account(environment), &backoff)
                case .reach: try live(RequestHandler.reach(environment), &backoff)
                case .session: try live(SessionHandler(environment), &backoff)
                case .schedule: try live(ScheduleWorker(environment), &backoff)
                case .scheduler: try live(TriggerClock(environment), &backoff)
                }
            } catch is LaneLost {
                logger.notice("Another process has taken the lane")
                break
            } catch {
                report(error)
                pause(backoff.next())
            }
        }
        // A process that has lost a lane to another process is still healthy.
        if lease == nil {
            environment.health.notReady(lane.name, "stopped")
        } else {
            environment.health.ready(lane.name)
        }
    }

    /// Runs the worker over one connection, until the connection fails or the worker must stop.
    private func live(_ handler: some BatchHandler, _ backoff: inout Backoff) throws {
        // When the worker connects, the broker closes any other connection with the lane's client id. That connection
        // may belong to a process that has taken the lane. Therefore, the lease is checked before the worker connects.
        if lease != nil {
            try environment.store.enter(lane.name)
            // An answer can depend on credentials. Therefore, the gate must have the credentials first.
            try environment.store.inheritCredentials()
        }
        var loop = WorkerLoop(
            try MosquittoConnection(options, outlets: environment.limits.outlets, waker: waker, proof: proof),
            handler,
            environment: environment,
            metrics: metrics,
            logger: logger,
            confirmedRows: confirmedRows.withLock(\.self)
        )
        do {
            try loop.open()
            hasBegun.store(true, ordering: .relaxed)
            try loop.turn()
            environment.health.ready(lane.name)
            environment.brokerAbsence.end()
            logger.info("The worker is connected")
            backoff.reset()
            while !mustStop, !mustRest {
                try lease?.check()
                try loop.turn()
            }
            if isAbandoned.load(ordering: .acquiring) { return }
            try drain(&loop)
        } catch {
            confirmedRows.withLock { [rows = loop.confirmedRows] in $0 = rows }
            throw error
        }
        loop.close()
    }

    /// For a limited time, answers requests that wait for their turn or for slow work.
    ///
    /// The outbox's messages are also published, until the outbox is empty or the broker stops confirming messages. The
    /// next process that runs the lane publishes the messages that are left in the outbox. A store can be moved only if
    /// its outbox is empty.
    private func drain<Handler: BatchHandler>(_ loop: inout WorkerLoop<MosquittoConnection, Handler>) throws {
        loop.endIntake()
        // A lane that is handed over has less time. No process serves the lane until the handover is complete.
        let longest = lease == nil ? environment.limits.drainMax : ClusterTiming.laneDrain
        let end = ContinuousClock.now + longest
        var (backlog, silentUntil) = (loop.backlog, ContinuousClock.now + Self.brokerSilence)
        while try loop.isAwaiting || loop.isPublishing && ContinuousClock.now < silentUntil, ContinuousClock.now < end {
            try loop.turn()
            guard loop.backlog != backlog else { continue }
            (backlog, silentUntil) = (loop.backlog, .now + Self.brokerSilence)
        }
    }

    /// The time for which a stopping worker waits for a broker that confirms nothing.
    private static let brokerSilence: Duration = .milliseconds(500)

    /// Whether reports must stay at the broker because the disk has too little space for them.
    ///
    /// A new thread's worker connects once, even if the disk is low on space. Otherwise, the worker may have no MQTT
    /// session. Without a session, the broker keeps no messages.
    private var mustRest: Bool { lane.worker == .status && environment.disk.isLow && hasBegun.load(ordering: .relaxed) }

    /// Stays disconnected while disk space is low, so that new messages wait at the broker.
    ///
    /// The worker reports no fault, since the disk's state is reported separately.
    private func rest() {
        logger.notice("The worker stays disconnected until the disk has space")
        environment.health.ready(lane.name)
        while !mustStop, mustRest { pause(.milliseconds(200)) }
        environment.health.notReady(lane.name, "not connected to the broker yet")
    }

    private func report(_ error: any Error) {
        environment.health.notReady(lane.name, "\(error)")
        guard BrokerAbsence.isCause(of: error) else { return logger.warning("The worker restarts", because: error) }
        guard environment.brokerAbsence.mustReport(at: environment.clock.steady) else { return }
        logger.notice("Waiting for the broker at \(options.host):\(options.port)", metadata: ["error": "\(error)"])
    }

    private func pause(_ duration: Duration) {
        let end = ContinuousClock.now + duration
        while !mustStop, ContinuousClock.now < end { usleep(20_000) }
    }
}
