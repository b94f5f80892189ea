import Domain
import Metrics

/// The metrics of the event log.
enum EventMetrics {
    private static let events = Dictionary(counting: "lamplighter_events_total", by: "type", EventType.readable)
    private static let waiting = Gauge(label: "lamplighter_event_readers_waiting")

    /// Counts an entry of the event log.
    static func logged(_ type: EventType) { events[type]?.increment() }

    /// Records the number of readers that wait for entries.
    static func waits(_ count: Int) { waiting.record(count) }
}
