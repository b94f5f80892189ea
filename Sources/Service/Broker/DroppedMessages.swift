import CoreMetrics

/// The number of messages that the broker dropped, which continues to grow when the broker's own count starts again
/// from zero.
struct DroppedMessages {
    private let counter = Counter(label: "lamplighter_broker_dropped_total")
    private var last: Int64 = 0

    mutating func note(_ count: Int64) {
        // If the count is less than before, the broker was restarted and counts from zero.
        counter.increment(by: count < last ? count : count - last)
        last = count
    }
}
