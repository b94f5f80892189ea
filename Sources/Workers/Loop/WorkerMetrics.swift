import Storage
import Metrics

/// The metrics of one worker.
///
/// The type is a class because of a bug in Swift 6.3.1. The bug affects a struct of ten references in a noncopyable
/// generic struct. The references were released once too often.
package final class WorkerMetrics: Sendable {
    private let received: Counter
    private let published: Counter
    private let batchSize: Recorder
    private let commit: Timer
    private let window: Gauge
    private let reconnects: Counter
    private let sessionsLost: Counter
    private let dueFailures: Counter
    private let brokerRefusals: Counter
    private let oldest: Gauge
    private let outboxBytes: Gauge
    private let intakeBytes: Gauge
    private let intakeMessages: Gauge
    private let requestsHeld: Gauge
    private let leftOut: Counter
    private let worker: String

    /// Makes the metrics of a worker, or of one of its lanes.
    package init(_ lane: Lane) {
        worker = lane.name
        let labels = [("worker", lane.name)]
        received = Counter(label: "lamplighter_messages_received_total", dimensions: labels)
        published = Counter(label: "lamplighter_messages_published_total", dimensions: labels)
        batchSize = Recorder(label: "lamplighter_batch_size", dimensions: labels)
        commit = Timer(label: "lamplighter_commit_seconds", dimensions: labels)
        window = Gauge(label: "lamplighter_window_used", dimensions: labels)
        reconnects = Counter(label: "lamplighter_reconnects_total", dimensions: labels)
        sessionsLost = Counter(label: "lamplighter_sessions_lost_total", dimensions: labels)
        dueFailures = Counter(label: "lamplighter_due_failures_total", dimensions: labels)
        brokerRefusals = Counter(label: "lamplighter_publish_refused_total", dimensions: labels)
        oldest = Gauge(label: "lamplighter_oldest_unanswered_seconds", dimensions: labels)
        outboxBytes = Gauge(label: "lamplighter_outbox_bytes", dimensions: labels)
        intakeBytes = Gauge(label: "lamplighter_intake_bytes", dimensions: labels)
        intakeMessages = Gauge(label: "lamplighter_intake_messages", dimensions: labels)
        requestsHeld = Gauge(label: "lamplighter_requests_held", dimensions: labels)
        leftOut = Counter(label: "lamplighter_statuses_left_out_total", dimensions: labels)
    }

    func turn(received: Int, published: Int) {
        if received > 0 {
            self.received.increment(by: received)
            batchSize.record(received)
        }
        if published > 0 { self.published.increment(by: published) }
    }

    /// Records the number and size of the messages that wait in the worker's memory.
    func holds(_ publisher: borrowing Publisher, _ queue: borrowing TurnQueue) {
        window.record(publisher.unconfirmed)
        outboxBytes.record(publisher.bytes)
        intakeBytes.record(queue.bytes)
        intakeMessages.record(queue.count)
        requestsHeld.record(queue.held.count)
    }

    func leftOut(_ count: Int) {
        if count > 0 { leftOut.increment(by: count) }
    }

    func oldestUnanswered(_ age: Duration) { oldest.record(age / .seconds(1)) }

    func committed(after duration: Duration) {
        let (seconds, attoseconds) = duration.components
        commit.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    func refused(_ reasons: [String: Int]) {
        for (reason, count) in reasons {
            Counter(label: "lamplighter_rejected_total", dimensions: [("worker", worker), ("reason", reason)])
                .increment(by: count)
        }
    }

    func droppedHistory(_ count: Int) {
        guard count > 0 else { return }
        Counter(label: "lamplighter_history_dropped_total").increment(by: count)
    }

    func deadLetter(_ kind: DeadLetter.Draft.Kind) {
        Counter(label: "lamplighter_dead_letters_total", dimensions: [("worker", worker), ("reason", kind.rawValue)])
            .increment()
    }

    func dueFailed() { dueFailures.increment() }

    func refusedByBroker(_ count: Int) { brokerRefusals.increment(by: count) }

    func sessionLost() { sessionsLost.increment() }

    /// Counts a connection attempt that follows a failure or a pause for lack of disk space.
    package func reconnected() { reconnects.increment() }
}
