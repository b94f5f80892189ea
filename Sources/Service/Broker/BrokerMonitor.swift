import Credentials
import Domain
import Files
import Glibc
import Logging
import Mosquitto
import Problems
import ServiceLifecycle
import Sodium
import Storage
import Synchronization
import Web
import Wire
import Workers

/// A monitor that checks for the gate, counts dropped messages, and collects the gate's refusals.
///
/// If an operator's broker lacks the gate, the monitor ends the service. Any client of such a broker could send and
/// read everything. The monitor has its own connection and thread, so that many refusals don't delay the workers.
final class BrokerMonitor: Service {
    private let options: ConnectionOptions
    private let isStopping = Atomic<Bool>(false)
    private let waker: Waker
    private let environment: Environment
    private let refusalTopic: String
    /// The service's readiness, in which the monitor reports whether the gate was found.
    ///
    /// The property is nil if the service started the broker itself, because such a broker always has the gate.
    private let readiness: Readiness?
    private let absence: BrokerAbsence
    private let listenerRefusals: ListenerRefusals
    private let brokerLog: String?
    private let probe: DoctorProbe
    private let logger = Logger(label: "lamplighter.refusals")

    /// Prepares a monitor with a connection of its own, in addition to the workers' connections.
    init(_ context: RunContext, _ environment: Environment) throws {
        self.environment = environment
        readiness = context.ownsBroker ? nil : context.readiness
        absence = environment.brokerAbsence
        listenerRefusals = context.listenerRefusals
        brokerLog = context.ownsBroker ? context.directory.brokerLog : nil
        probe = DoctorProbe(secret: context.secrets.service)
        refusalTopic = environment.topics.system("refusal")
        var options = try BrokerAccess.workers(context)
        // The client id is unique, since another process can run at the same time.
        options.clientID = "svc.lamplighter.monitor-\(Sodium.randomSecret().prefix(8))"
        options.cleanStart = true
        options.sessionExpirySeconds = 0
        options.receiveMaximum = 100
        self.options = options
        waker = try Waker()
    }

    /// Runs on its own thread until the service group shuts down.
    ///
    /// - Throws: A `Problem` if the broker runs without the gate.
    func run() async throws {
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await withCheckedThrowingContinuation { continuation in
                PlainThread.detach { continuation.resume(with: Result { try self.work() }) }
            }
        } onCancelOrGracefulShutdown: {
            self.isStopping.store(true, ordering: .releasing)
            self.waker.wake()
        }
    }

    private var mayRun: Bool { !isStopping.load(ordering: .acquiring) }

    private func work() throws {
        var seen = Seen(
            refusals: newLog(),
            brokerLog: brokerLog.map { BrokerLogWatch(path: $0) }
        )
        while mayRun {
            do {
                try follow(&seen)
            } catch let problem as Problem {
                throw problem
            } catch {
                report(error)
            }
            for _ in 0..<50 where mayRun { usleep(20_000) }
        }
    }

    private func newLog() -> RefusalLog {
        let (probe, clock) = (probe, environment.clock)
        return RefusalLog(environment.limits) { probe.isOurs($0, at: clock.now) }
    }

    private struct Seen {
        var dropped = DroppedMessages()
        var refusals: RefusalLog
        var brokerLog: BrokerLogWatch?
    }

    private func follow(_ seen: inout Seen) throws {
        var client = try MosquittoClient(options, waker: waker)
        _ = try client.connect()
        try checkGate(&client)
        let topics = ["$SYS/broker/publish/messages/dropped", refusalTopic]
        try client.subscribe(topics, options: SubscribeOptions(retainHandling: .always))
        var intake = Intake()
        while mayRun {
            try client.receive(into: &intake)
            for delivery in intake.deliveries {
                if intake.bytes[delivery.topic].elementsEqual(refusalTopic.utf8) {
                    let refusal = seen.refusals.take(intake.bytes[delivery.payload])
                    if let refusal { tell(refusal) }
                } else {
                    seen.dropped.note(Int64(intake.text(delivery.payload)) ?? 0)
                }
            }
            for refusal in seen.brokerLog?.take() ?? [] { listenerRefusals.note(refusal, at: environment.clock.now) }
            try publishRefusals(over: &client)
            try client.flush()
            write(&seen.refusals)
        }
        client.disconnect()
        write(&seen.refusals, isLast: true)
    }

    private func publishRefusals(over client: inout MosquittoClient) throws {
        let (waiting, missed) = listenerRefusals.take()
        for (number, refusal) in waiting.enumerated() {
            try client.publish(
                topic: refusalTopic,
                payload: RefusalCodec.message(refusal, missed: number == 0 ? missed : 0),
                quality: .atMostOnce
            )
        }
    }

    private func checkGate(_ client: inout MosquittoClient) throws {
        guard let readiness else { return }
        switch try GateProbe(environment.topics).isGatePresent(over: &client) {
        case true?: readiness.isReady(Self.gatePart)
        case nil: throw MosquittoError(.timeout, function: "the probe of the gate")
        case false?:
            let address = "\(options.host):\(options.port)"
            readiness.isWaiting(Self.gatePart, for: "the broker runs without it")
            throw Problem.gateNotLoaded(address: address)
        }
    }

    /// Reports the reason why the gate has not been found yet, or does nothing once the gate has been found.
    private func report(_ error: any Error) {
        guard let readiness, !readiness.accepts(Self.gatePart) else { return }
        let summary = "\(error)"
        guard BrokerAbsence.isCause(of: error) else {
            logger.warning("The broker's gate has not been found yet", metadata: ["error": "\(summary)"])
            return readiness.isWaiting(Self.gatePart, for: summary)
        }
        readiness.isWaiting(Self.gatePart, for: summary)
        guard absence.mustReport(at: environment.clock.steady) else { return }
        logger.notice("Waiting for the broker at \(options.host):\(options.port)", metadata: ["error": "\(summary)"])
    }

    /// The name under which the readiness shows whether the gate was found.
    static let gatePart = "gate"

    private func tell(_ refusal: ClientRefusal) {
        if RefusalReason(rawValue: refusal.reason)?.isOfListener == true {
            return environment.refusalLog.info(
                logger,
                "A connection was refused",
                metadata: [
                    "reason": "\(refusal.reason)", "client.address": "\(refusal.address)",
                    "client.username": "\(refusal.username)",
                    "detail": "\(refusal.detail ?? "")",
                ]
            )
        }
        environment.refusalLog.info(
            logger,
            "The gate refused a client",
            metadata: [
                "action": "\(refusal.action)", "reason": "\(refusal.reason)",
                "client.id": "\(refusal.clientID)", "client.username": "\(refusal.username)",
                "client.address": "\(refusal.address)",
                "message.topic": "\(refusal.topic ?? "")",
            ]
        )
    }

    /// Stores the refusals if a write is due, or keeps them while the store fails.
    private func write(_ refusals: inout RefusalLog, isLast: Bool = false) {
        let now = environment.clock.now
        guard refusals.isDue(at: isLast ? .max : now), !environment.disk.isLow else { return }
        // Every process receives all refusals; only the leader stores them.
        guard environment.leadership.isHeld else {
            refusals = newLog()
            return
        }
        do {
            try refusals.write(to: environment.store, at: now)
        } catch {
            logger.debug(
                "Refusals are waiting for the store",
                metadata: ["error": "\(error)"]
            )
        }
    }
}
