import CoreMetrics

/// A counter of the messages that the broker has dropped; a restart of the broker doesn't reset the counter.
struct DroppedMessages {
    private let counter = Counter(label: "lamplighter_broker_dropped_total")
    private var last: Int64 = 0

    mutating func note(_ count: Int64) {
        // If the count is less than before, the broker was restarted and counts from zero.
        counter.increment(by: count < last ? count : count - last)
        last = count
    }
}
