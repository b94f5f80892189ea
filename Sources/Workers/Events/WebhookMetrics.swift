import Domain
import Metrics

/// The metrics of webhooks.
enum WebhookMetrics {
    /// The outcome of a post.
    enum End: String, CaseIterable { case taken, refused, failed }

    private static let posts = Dictionary(counting: "lamplighter_webhook_posts_total", by: "outcome", End.allCases)
    private static let events = Counter(label: "lamplighter_webhook_events_total")
    private static let seconds = Timer(label: "lamplighter_webhook_seconds")
    private static let webhooks = Dictionary(
        uniqueKeysWithValues: ["on", "failing", "paused", "disabled"].map { state in
            (state, Gauge(label: "lamplighter_webhooks", dimensions: [("state", state)]))
        }
    )

    private static let behind = Gauge(label: "lamplighter_event_subscription_behind_seconds")

    /// Counts a post and the events that it delivered, and records its duration.
    static func posted(_ end: End, events count: Int, milliseconds: Int64) {
        posts[end]?.increment()
        if end == .taken { events.increment(by: count) }
        seconds.recordMilliseconds(milliseconds)
    }

    /// Records how many webhooks are in each state, and the largest lag in seconds.
    static func has(_ subscriptions: [EventSubscription], behind seconds: Int64) {
        behind.record(seconds)
        var counts: [String: Int] = [:]
        for subscription in subscriptions where subscription.url != nil {
            let isFailing = subscription.state == .on && subscription.failingSince != nil
            counts[isFailing ? "failing" : subscription.state.rawValue, default: 0] += 1
        }
        for (state, gauge) in webhooks { gauge.record(counts[state] ?? 0) }
    }
}
