import CoreMetrics

/// The counters that the composition itself keeps; the workers keep their own.
enum Counters {
    /// Times the broker child was restarted.
    static var brokerRestarts: Counter { Counter(label: "lamplighter_broker_restarts_total") }
}
