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

/// Follows the broker: whether it runs with the gate, the number of dropped messages, and its gate's refusals.
///
/// A broker of one's own that runs without the gate would let anybody say and hear anything: it ends the service.
/// It has its own connection and thread, so that a flood of refusals does not delay the workers.
final class BrokerMonitor: Service {
    private let options: ConnectionOptions
    private let isStopping = Atomic<Bool>(false)
    private let waker: Waker
    private let environment: Environment
    private let refusalTopic: [UInt8]
    /// Told of the gate, as the part `gate`, where the broker is not the service's own.
    private let readiness: Readiness?
    private let absence: BrokerAbsence
    private let listenerRefusals: ListenerRefusals
    /// The log of the broker, where that is the service's own.
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
        refusalTopic = Array(environment.topics.system("refusal").utf8)
        var options = try BrokerAccess.workers(context)
        // Of its own, since another process with other workers may run beside this one.
        options.clientID = "svc.lamplighter.monitor-\(Sodium.randomSecret().prefix(8))"
        options.cleanStart = true
        options.sessionExpirySeconds = 0
        options.receiveMaximum = 100
        self.options = options
        waker = try Waker()
    }

    /// Runs on a thread of its own until the group shuts down.
    ///
    /// - Throws: A `Problem` where the broker runs without the gate.
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

    /// Returns an empty log, which leaves the doctor's knocks out.
    private func newLog() -> RefusalLog {
        let (probe, clock) = (probe, environment.clock)
        return RefusalLog(environment.limits) { probe.isOurs($0, at: clock.now) }
    }

    /// What is followed over all connections.
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
            ["$SYS/broker/publish/messages/dropped", environment.topics.system("refusal")],
            options: SubscribeOptions(retainHandling: .always)
        )
        var intake = Intake()
        while mayRun {
            try client.receive(
                upTo: 100,
                linger: .zero,
                wait: .milliseconds(500),
                into: &intake
            )
            for delivery in intake.deliveries {
                if intake.bytes[delivery.topic].elementsEqual(refusalTopic) {
                    let refusal = seen.refusals.take(intake.bytes[delivery.payload])
                    if let refusal { tell(refusal) }
                } else {
                    seen.dropped.note(Int64(intake.text(delivery.payload)) ?? 0)
                }
            }
            for refusal in seen.brokerLog?.take() ?? [] {
                listenerRefusals.note(refusal, at: environment.clock.now)
            }
            try publishRefusals(over: &client)
            try client.flush()
            write(&seen.refusals)
        }
        client.disconnect()
        write(&seen.refusals, isLast: true)
    }

    /// Publishes the refusals of the service's own listeners, which come back with those of the gate.
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

    /// Lets the workers begin once the gate has answered, and at each connection looks for it again.
    private func checkGate(_ client: inout MosquittoClient) throws {
        guard let readiness else { return }
        switch try GateProbe(environment.topics).isGatePresent(over: &client) {
        case true?: readiness.isReady(Self.gatePart)
        case nil: throw MosquittoError(.timeout, function: "the probe of the gate")
        case false?:
            let address = "\(options.host):\(options.port)"
            readiness.isWaiting(Self.gatePart, for: "the broker runs without it")
            throw Problem(
                .gateNotLoaded,
                "the broker at \(address) runs without the gate",
                at: address,
                why: "any client could read and send everything, so nothing is taken from it",
                cures: [
                    .init(
                        "plugin /usr/lib/lamplighter/libLamplighterGate.so",
                        "load it in mosquitto.conf, as deploy/mosquitto/lamplighter.conf does"
                    ),
                    .init("lamplighter up", "or a broker of the service's own, with the gate"),
                ]
            )
        }
    }

    /// Says why the gate is not found yet; later the workers report that the broker is away.
    private func report(_ error: any Error) {
        guard let readiness, !readiness.accepts(Self.gatePart) else { return }
        let summary = StoreError.summary(error)
        guard BrokerAbsence.isCause(of: error) else {
            logger.warning("The broker's gate is not found yet", metadata: ["error": "\(summary)"])
            return readiness.isWaiting(Self.gatePart, for: summary)
        }
        readiness.isWaiting(Self.gatePart, for: summary)
        guard absence.mustTell(at: environment.clock.steady) else { return }
        logger.notice(
            "Waiting for the broker at \(options.host):\(options.port)",
            metadata: ["error": "\(summary)"]
        )
    }

    /// The part of the readiness that says whether the gate was found.
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

    /// Stores the refusals when it is time; while the store can't take them they wait.
    private func write(_ refusals: inout RefusalLog, isLast: Bool = false) {
        let now = environment.clock.now
        guard refusals.isDue(at: isLast ? .max : now), !environment.disk.isLow else { return }
        // Each of several processes hears all refusals; one keeps them.
        guard environment.leadership.isHeld else {
            refusals = newLog()
            return
        }
        do {
            try refusals.write(to: environment.store, at: now)
        } catch {
            logger.debug(
                "Refusals have to wait for the store",
                metadata: ["error": "\(StoreError.summary(error))"]
            )
        }
    }
}
