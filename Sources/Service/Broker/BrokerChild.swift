import CoreMetrics
import Files
import Glibc
package import Logging
import Problems
import ServiceLifecycle
import Synchronization
package import Web

/// A service that runs Mosquitto with the gate, and restarts Mosquitto if it dies.
///
/// At a shutdown, this service ends Mosquitto after all other services have ended.
package final class BrokerChild: Service {
    private let plan: BrokerPlan
    private let readiness: Readiness
    private let logger: Logger
    private let child = Mutex<ChildProcess?>(nil)
    private let isStopping = Mutex(false)
    /// The handover of certificates, locked during writes so that no older certificate overwrites a newer one.
    private let handover: Mutex<CertificateHandover<TLSMaterial>>
    /// The counter of restarts, created early so that it is 0 before the first restart.
    private let restarts = Counter(label: "lamplighter_broker_restarts_total")

    /// Prepares a broker without starting it.
    package init(plan: BrokerPlan, readiness: Readiness, logger: Logger) {
        self.plan = plan
        handover = Mutex(CertificateHandover(plan.tls))
        self.readiness = readiness
        self.logger = logger
    }

    /// Writes the configuration, starts the broker, and waits until the broker accepts connections.
    ///
    /// - Throws: A `Problem` if the broker ends or accepts no connections within 10 seconds. The problem contains the
    ///   end of the broker's log.
    package func start() async throws {
        try TextFile.write(plan.text, to: plan.directory.brokerConfiguration)
        do {
            try handover.withLock { handover in
                guard let material = handover.begin() else { return }
                try write(material)
                if let authority = material.authorityPEM {
                    try TextFile.write(authority, to: plan.directory.brokerTLS.authority)
                }
            }
            try await launch()
        } catch {
            // If a new certificate arrived during the failed start, the next start uses it.
            _ = handover.withLock { $0.end() }
            throw error
        }
        showLate()
        readiness.isReady("broker")
    }

    private func launch() async throws {
        BrokerLog.rotate(plan.directory.brokerLog, above: ServiceLimits.brokerLogBytesAtStartMax)
        let logged = TextFile.size(plan.directory.brokerLog) ?? 0
        let process: ChildProcess
        do {
            process = try await ChildProcess.launch(
                plan.program,
                ["-c", plan.directory.brokerConfiguration],
                output: plan.directory.brokerLog
            )
        } catch {
            throw failure("\(error)")
        }
        process.limitMemory(to: plan.memoryBytes)
        child.withLock { $0 = process }
        try await waitUntilAccepting(process, logged)
    }

    /// Makes the broker use another certificate for new connections, not for open ones.
    ///
    /// A broker that is still starting gets the certificate as soon as the broker is running. Mosquitto 2.0.11 reads
    /// the certificate authority of the devices only when it starts. The broker's copy of the authority is therefore
    /// rewritten only at the next start.
    /// - Throws: `Errno` if the broker's copies can't be written.
    func show(_ material: TLSMaterial) throws {
        let isNow = try handover.withLock { handover in
            guard let material = handover.take(material) else { return false }
            try write(material)
            return true
        }
        if isNow { reload() }
    }

    private func showLate() {
        do {
            let isNow = try handover.withLock { handover in
                guard let material = handover.end() else { return false }
                try write(material)
                return true
            }
            if isNow { reload() }
        } catch {
            logger.error("the broker keeps its old certificate until it is restarted", metadata: ["reason": "\(error)"])
        }
    }

    private func reload() {
        // On SIGHUP, Mosquitto reads its certificates again, and asks the gate about all connected clients again.
        child.withLock { $0 }?.send(SIGHUP)
    }

    private func write(_ material: TLSMaterial) throws {
        let files = plan.directory.brokerTLS
        try TextFile.write(material.certificatePEM, to: files.certificate)
        try TextFile.write(material.keyPEM, to: files.key)
    }

    /// Watches the broker until the service group shuts down, and then ends the broker.
    package func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await supervise()
            // The broker can end on its own while the other services are still finishing their work. If `run` returned
            // before the shutdown, this service would count as failed, so it waits.
            try? await gracefulShutdown()
        } onCancelOrGracefulShutdown: {
            self.isStopping.withLock { $0 = true }
            self.child.withLock { $0 }?.send(SIGTERM)
        }
        await stop()
    }

    /// Ends the broker with SIGTERM, or with SIGKILL if it is still running two seconds later.
    package func stop() async {
        isStopping.withLock { $0 = true }
        guard let process = child.withLock({ $0 }) else { return }
        process.send(SIGTERM)
        let killer = Task {
            try await Task.sleep(for: .seconds(2))
            process.send(SIGKILL)
        }
        _ = await process.waitForExit()
        killer.cancel()
        unlink(plan.directory.brokerPID)
    }

    /// Notes that the service will soon stop, so the broker isn't restarted any more.
    package func expectEnd() { isStopping.withLock { $0 = true } }

    private var mayRun: Bool { !isStopping.withLock { $0 } && !Task.isCancelled }

    private func supervise() async {
        var pause = RestartPause()
        while mayRun, let process = child.withLock({ $0 }) {
            let started = ContinuousClock.now
            let rotation = Task { await BrokerLog.keepSmall(plan.directory.brokerLog) }
            let exit = await process.waitForExit()
            rotation.cancel()
            guard mayRun else { return }
            logger.error("broker ended, restarting it", metadata: ["broker.exit": "\(exit)"])
            readiness.isWaiting("broker", for: "the broker ended and is being restarted")
            restarts.increment()
            await startAgain(after: &pause, ran: ContinuousClock.now - started)
        }
    }

    private func startAgain(after pause: inout RestartPause, ran: Duration) async {
        var wait = pause.next(ran: ran)
        while mayRun {
            try? await cancelWhenGracefulShutdown { [wait] in try await Task.sleep(for: wait) }
            guard mayRun else { return }
            do {
                return try await start()
            } catch {
                let why = (error as? Problem)?.why ?? "\(error)"
                logger.error("broker failed to start", metadata: ["broker.reason": "\(why)"])
                wait = pause.next(ran: .zero)
            }
        }
    }

    private func waitUntilAccepting(_ process: ChildProcess, _ logged: Int) async throws {
        let deadline = ContinuousClock.now + ServiceLimits.brokerStartMax
        while !Ports.accepts(plan.host, plan.port) {
            if process.exit != nil { throw failure(BrokerLog.tail(plan.directory.brokerLog, from: logged)) }
            guard ContinuousClock.now < deadline else {
                process.send(SIGKILL)
                throw failure("the broker does not accept connections on port \(plan.port)")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private func failure(_ why: String) -> Problem {
        Problem.brokerFailed(
            port: plan.port,
            log: plan.directory.brokerLog,
            why: why,
            program: plan.program,
            configuration: plan.directory.brokerConfiguration
        )
    }
}

/// The pause between the death of a broker and its restart.
///
/// The pause is short if the broker ran for a while before it ended. The pause doubles each time the broker dies early.
/// Its maximum is short, so that devices don't consider the service unavailable.
struct RestartPause {
    static let first = Duration.milliseconds(100)
    static let last = Duration.seconds(5)
    /// The time for which a broker must run before the pause becomes short again.
    static let steady = Duration.seconds(30)

    private var pause = first

    /// Returns the next pause, given how long the broker ran before it died.
    mutating func next(ran: Duration) -> Duration {
        pause = ran > Self.steady ? Self.first : min(pause * 2, Self.last)
        return pause
    }
}
