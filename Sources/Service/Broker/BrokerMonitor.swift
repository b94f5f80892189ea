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

/// A monitor of the broker: whether it runs with the gate, its dropped messages, and its gate's refusals.
///
/// An operator's own broker without the gate would let any client send and read everything, so it ends the service. The
/// monitor has its own connection and thread, so that a flood of refusals does not delay the workers.
final class BrokerMonitor: Service {
    private let options: ConnectionOptions
    private let isStopping = Atomic<Bool>(false)
    private let waker: Waker
    private let environment: Environment
    private let refusalTopic: String
    /// The readiness whose part `gate` shows the gate; nil if the broker is the service's own.
    private let readiness: Readiness?
    private let absence: BrokerAbsence
    private let listenerRefusals: ListenerRefusals
    /// The path of the broker's log; nil if the broker isn't the service's own.
    private let brokerLog: String?
    private let probe: DoctorProbe
    private let logger = Logger(label: "lamplighter.refusals")

    /// Prepares a monitor that connects beside the workers.
    init(_ context: RunContext, _ environment: Environment) throws {
        self.environment = environment
        readiness = context.ownsBroker ? nil : context.readiness
        absence = environment.brokerAbsence
        listenerRefusals = context.listenerRefusals
        brokerLog = context.ownsBroker ? context.directory.brokerLog : nil
        probe = DoctorProbe(secret: context.secrets.service)
        refusalTopic = environment.topics.system("refusal")
        var options = try BrokerAccess.workers(context)
        // A unique id, since another process with other workers can run beside this one.
        options.clientID = "svc.lamplighter.monitor-\(Sodium.randomSecret().prefix(8))"
        options.cleanStart = true
        options.sessionExpirySeconds = 0
        options.receiveMaximum = 100
        self.options = options
        waker = try Waker()
    }

    /// Runs on its own thread until the group shuts down.
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

    /// Returns an empty log, which leaves out the doctor's probes.
    private func newLog() -> RefusalLog {
        let (probe, clock) = (probe, environment.clock)
        return RefusalLog(environment.limits) { probe.isOurs($0, at: clock.now) }
    }

    /// The state that is kept across connections.
    private struct Seen {
        var dropped = DroppedMessages()
        var refusals: RefusalLog
        var brokerLog: BrokerLogWatch?
    }

    private func follow(_ seen: inout Seen) throws {
        var client = try MosquittoClient(options, waker: waker)
        _ = try client.connect()
        try checkGate(&client)
        try client.subscribe(
            ["$SYS/broker/publish/messages/dropped", refusalTopic],
            options: SubscribeOptions(retainHandling: .always)
        )
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

    /// Publishes the refusals of the service's own listeners, which are then received with the gate's.
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

    /// Checks for the gate at each connection, and lets the workers begin once it has answered.
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

    /// Reports why the gate isn't found yet; later the workers report that they can't reach the broker.
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

    /// The name of the readiness part that shows whether the gate was found.
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

    /// Stores the refusals when they are due; they wait while the store can't be written.
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
                "Refusals wait for the store",
                metadata: ["error": "\(error)"]
            )
        }
    }
}
