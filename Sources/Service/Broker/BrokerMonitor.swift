import CoreMetrics
import Glibc
import Mosquitto
import ServiceLifecycle
import Synchronization

/// Follows what the broker tells of itself, for the metrics: how many messages it has dropped.
final class BrokerMonitor: Service {
    private let options: ConnectionOptions
    private let isStopping = Atomic<Bool>(false)
    private let waker: Waker

    /// Prepares a monitor that connects beside the workers.
    init(_ options: ConnectionOptions) throws {
        var options = options
        options.clientID = "svc.lamplighter.monitor"
        options.cleanStart = true
        options.sessionExpirySeconds = 0
        options.receiveMaximum = 10
        self.options = options
        waker = try Waker()
    }

    /// Runs on a thread of its own until the group shuts down.
    func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await withCheckedContinuation { continuation in
                WatchThread.start {
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
        while mayRun {
            // Without the broker there is nothing to tell; the workers report that it is away.
            try? follow()
            for _ in 0..<50 where mayRun { usleep(20_000) }
        }
    }

    private func follow() throws {
        var client = try MosquittoClient(options, waker: waker)
        _ = try client.connect()
        try client.subscribe(
            ["$SYS/broker/publish/messages/dropped"],
            options: SubscribeOptions(retainHandling: .always)
        )
        var intake = Intake()
        var dropped = DroppedMessages()
        while mayRun {
            try client.receive(upTo: 10, linger: .zero, wait: .seconds(1), into: &intake)
            for delivery in intake.deliveries {
                dropped.note(Int64(intake.text(delivery.payload)) ?? 0)
            }
            try client.flush()
        }
        client.disconnect()
    }
}

/// Turns the broker's own count into ours, which goes on where the broker's begins anew.
struct DroppedMessages {
    private let counter = Counter(label: "lamplighter_broker_dropped_total")
    private var last: Int64 = 0

    mutating func note(_ count: Int64) {
        // Less than before: the broker was started anew and counts from zero.
        counter.increment(by: count < last ? count : count - last)
        last = count
    }
}
