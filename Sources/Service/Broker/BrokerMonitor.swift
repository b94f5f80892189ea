import CoreMetrics
import Domain
import Glibc
import Logging
import Mosquitto
import ServiceLifecycle
import Storage
import Synchronization
import Wire
import Workers

/// Follows the broker's statistics: the number of dropped messages, and its gate's refusals.
///
/// It has its own connection and thread, so that a flood of refusals does not delay the workers.
final class BrokerMonitor: Service {
    private let options: ConnectionOptions
    private let isStopping = Atomic<Bool>(false)
    private let waker: Waker
    private let environment: Environment
    private let refusalTopic: [UInt8]
    private let logger = Logger(label: "lamplighter.refusals")

    /// Prepares a monitor that connects beside the workers.
    init(_ options: ConnectionOptions, _ environment: Environment) throws {
        self.environment = environment
        refusalTopic = Array(environment.topics.system("refusal").utf8)
        var options = options
        options.clientID = "svc.lamplighter.monitor"
        options.cleanStart = true
        options.sessionExpirySeconds = 0
        options.receiveMaximum = 100
        self.options = options
        waker = try Waker()
    }

    /// Runs on a thread of its own until the group shuts down.
    func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await withCheckedContinuation { continuation in
                PlainThread.detach {
                    self.work()
                    continuation.resume()
                }
            }
        } onCancelOrGracefulShutdown: {
            self.isStopping.store(true, ordering: .releasing)
            self.waker.wake()
        }
    }

    private var mayRun: Bool { !isStopping.load(ordering: .acquiring) }

    private func work() {
        var dropped = DroppedMessages()
        var refusals = RefusalLog(environment.limits)
        while mayRun {
            // Without the broker there is nothing to tell; the workers report that it is away.
            try? follow(&dropped, &refusals)
            for _ in 0..<50 where mayRun { usleep(20_000) }
        }
    }

    private func follow(
        _ dropped: inout DroppedMessages,
        _ refusals: inout RefusalLog
    ) throws {
        var client = try MosquittoClient(options, waker: waker)
        _ = try client.connect()
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
                    refusals.take(intake.bytes[delivery.payload])
                } else {
                    dropped.note(Int64(intake.text(delivery.payload)) ?? 0)
                }
            }
            try client.flush()
            write(&refusals)
        }
        client.disconnect()
        write(&refusals, isLast: true)
    }

    /// Stores the refusals when it is time; while the store can't take them they wait.
    private func write(_ refusals: inout RefusalLog, isLast: Bool = false) {
        let now = environment.clock.now
        guard refusals.isDue(at: isLast ? .max : now), !environment.disk.isLow else { return }
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

/// Turns the broker's own count into ours, which goes on when the broker's starts over.
struct DroppedMessages {
    private let counter = Counter(label: "lamplighter_broker_dropped_total")
    private var last: Int64 = 0

    mutating func note(_ count: Int64) {
        // Less than before: the broker was restarted and counts from zero.
        counter.increment(by: count < last ? count : count - last)
        last = count
    }
}
