import Glibc
package import Logging
package import Mosquitto
import Synchronization
import Wire

/// Runs one worker on a thread of its own, and restarts it after every failure.
///
/// libmosquitto and SQLite block, so a worker never runs on the cooperative pool.
package final class WorkerThread: Sendable {
    private let options: ConnectionOptions
    private let proof: BrokerProof?
    private let environment: Environment
    private let logger: Logger
    private let name: WorkerName
    private let isStopping = Atomic<Bool>(false)
    private let hasBegun = Atomic<Bool>(false)
    private let metrics: WorkerMetrics
    private let waker: Waker
    /// The rows that the broker had confirmed when the previous run failed: they aren't published again.
    private let confirmedRows = Mutex<[Int64]>([])

    /// Prepares a worker; `options` name the broker and the password.
    ///
    /// `clientID` differs from the worker's own if a second one runs next to it. `proof` is asked for at each connection,
    /// before anything is taken from the broker.
    package init(
        _ name: WorkerName,
        clientID: String? = nil,
        options: ConnectionOptions,
        proof: BrokerProof? = nil,
        environment: Environment,
        logger: Logger
    ) throws {
        self.proof = proof
        self.name = name
        self.environment = environment
        var logger = logger
        logger[metadataKey: "worker"] = "\(name.rawValue)"
        self.logger = logger
        metrics = WorkerMetrics(name)
        waker = try environment.wakeups.waker(of: name) ?? Waker()
        var options = options
        options.clientID = clientID ?? name.clientID
        options.receiveMaximum = environment.limits.receiveMaximum
        options.sendMaximum = environment.limits.sendMaximum
        // The gate takes many messages in one from the service's own workers alone.
        options.batches = clientID == nil ? environment.topics.batches(of: name) : nil
        options.will = .init(
            topic: environment.topics.system("worker/\(name.rawValue)"),
            payload: SystemCodec.workerState(isOnline: false, ts: environment.clock.now),
            isRetained: true
        )
        self.options = options
        environment.health.notReady(name.rawValue, "not connected to the broker yet")
    }

    /// Runs until `stop`; returns when the worker has drained and disconnected.
    package func run() async {
        await withCheckedContinuation { continuation in
            PlainThread.detach {
                self.work()
                continuation.resume()
            }
        }
    }

    /// Asks the worker to finish its turn, disconnect and return.
    package func stop() {
        isStopping.store(true, ordering: .releasing)
        waker.wake()
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
            if !isFirst { metrics.reconnected() }
            isFirst = false
            do {
                switch name {
                case .status: try live(StatusHandler(environment), &backoff)
                case .control: try live(ControlHandler(environment), &backoff)
                case .account: try live(RequestHandler.account(environment), &backoff)
                case .session: try live(SessionHandler(environment), &backoff)
                case .schedule: try live(ScheduleWorker(environment), &backoff)
                case .scheduler: try live(TriggerClock(environment), &backoff)
                }
            } catch {
                report(error)
                pause(backoff.next())
            }
        }
        environment.health.notReady(name.rawValue, "stopped")
    }

    /// Runs the worker over one connection, until it fails or must stop.
    private func live(_ handler: some BatchHandler, _ backoff: inout Backoff) throws {
        var loop = WorkerLoop(
            try MosquittoConnection(
                options,
                outlets: environment.limits.outlets,
                waker: waker,
                proof: proof
            ),
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
            environment.health.ready(name.rawValue)
            environment.brokerAbsence.end()
            logger.info("The worker is connected")
            backoff.reset()
            while !mustStop, !mustRest { try loop.turn() }
            try drain(&loop)
        } catch {
            confirmedRows.withLock { [rows = loop.confirmedRows] in $0 = rows }
            throw error
        }
        loop.close()
    }

    /// Answers requests that wait for their turn, or whose slow work is nearly done; clients repeat the others.
    private func drain<Handler: BatchHandler>(
        _ loop: inout WorkerLoop<MosquittoConnection, Handler>
    ) throws {
        loop.endIntake()
        let end = ContinuousClock.now + environment.limits.drainMax
        while loop.isAwaiting, ContinuousClock.now < end { try loop.turn() }
    }

    /// Whether reports must stay with the broker, since the disk has too little room for them.
    ///
    /// False before the worker has a session, without which the broker keeps nothing for it.
    private var mustRest: Bool {
        name == .status && environment.disk.isLow && hasBegun.load(ordering: .relaxed)
    }

    /// Stays disconnected while there is too little room; the broker keeps new messages, unacknowledged.
    ///
    /// It reports no fault of the worker: the disk has its own part in the readiness.
    private func rest() {
        logger.notice("The worker stays away until the disk has room")
        environment.health.ready(name.rawValue)
        while !mustStop, mustRest { pause(.milliseconds(200)) }
        environment.health.notReady(name.rawValue, "not connected to the broker yet")
    }

    private func report(_ error: any Error) {
        let summary = Failure.summary(error)
        environment.health.notReady(name.rawValue, summary)
        if BrokerAbsence.isCause(of: error) {
            guard environment.brokerAbsence.mustTell(at: environment.clock.steady) else { return }
            logger.notice(
                "Waiting for the broker at \(options.host):\(options.port)",
                metadata: ["error": "\(summary)"]
            )
            return
        }
        logger.warning("The worker restarts", metadata: ["error": "\(summary)"])
    }

    /// Waits, unless the worker must stop.
    private func pause(_ duration: Duration) {
        let end = ContinuousClock.now + duration
        while !mustStop, ContinuousClock.now < end { usleep(20_000) }
    }
}
