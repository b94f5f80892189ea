import CoreMetrics

/// A counter of the messages that the broker has dropped; a restart of the broker doesn't reset the counter.
struct DroppedMessages {
    private let counter = Counter(label: "lamplighter_broker_dropped_total")
    private var last: Int64 = 0

    mutating func note(_ count: Int64) {
        // If `count` is lower than `last`, the broker was restarted, and has counted from zero since then.
        counter.increment(by: count < last ? count : count - last)
        last = count
    }
}
