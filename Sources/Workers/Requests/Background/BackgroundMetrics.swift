import Metrics

/// The metrics of one pool of slow work.
final class BackgroundMetrics: Sendable {
    private let waiting: Gauge
    private let busy: Gauge
    private let bytes: Gauge
    private let unanswered: Gauge
    private let refused: Counter
    private let seconds: Timer

    init(_ kind: BackgroundPoolKind) {
        let labels = [("pool", kind.rawValue)]
        waiting = Gauge(label: "lamplighter_pool_waiting", dimensions: labels)
        busy = Gauge(label: "lamplighter_pool_busy", dimensions: labels)
        bytes = Gauge(label: "lamplighter_pool_waiting_bytes", dimensions: labels)
        unanswered = Gauge(label: "lamplighter_pool_unanswered", dimensions: labels)
        refused = Counter(label: "lamplighter_pool_rejected_total", dimensions: labels)
        seconds = Timer(label: "lamplighter_pool_seconds", dimensions: labels)
    }

    func depth(waiting: Int, busy: Int, unanswered: Int = 0, bytes: Int = 0) {
        self.waiting.record(waiting)
        self.bytes.record(bytes)
        self.busy.record(busy)
        self.unanswered.record(unanswered)
    }

    func rejected() { refused.increment() }

    func took(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.seconds.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
