import CoreMetrics

/// The number of messages that the broker has dropped, which keeps growing even if the broker restarts.
struct DroppedMessages {
    private let counter = Counter(label: "lamplighter_broker_dropped_total")
    private var last: Int64 = 0

    mutating func note(_ count: Int64) {
        // If the count is less than before, the broker was restarted and counts from zero.
        counter.increment(by: count < last ? count : count - last)
        last = count
    }
}
