import CoreMetrics

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
