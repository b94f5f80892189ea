import DequeModule
import Domain

/// A queue of messages that have the same content and go to many receivers.
///
/// The messages are published in groups with pauses. A thousand messages at once would use the CPU for 50 ms. Later
/// messages on the same topics wait in this queue too, so that the order on each topic stays.
struct FanOutQueue {
    private var queue = Deque<PendingMessage>()
    /// The number of waiting messages on each topic.
    private var topics: [String: Int] = [:]
    private let limits: Limits
    /// The number of messages of the current group that may still be published.
    private var groupLeft = 0
    /// How many messages of a group may be unconfirmed at a time.
    private(set) var window: Int
    private var nextGroupAt = Instant(milliseconds: 0)

    init(_ limits: Limits) {
        self.limits = limits
        window = limits.fanOutWindow
    }

    /// The number of waiting messages.
    var count: Int { queue.count }

    /// Returns the next message's wait in milliseconds, or nil if the queue is empty.
    func pause(at now: Instant) -> Int64? {
        guard count > 0 else { return nil }
        if groupLeft > 0 || mayBegin(at: now) { return 0 }
        return nextGroupAt.milliseconds - now.milliseconds
    }

    private func mayBegin(at now: Instant) -> Bool {
        let wait = nextGroupAt.milliseconds - now.milliseconds
        // If the wait is longer than a pause, the clock has been set back.
        return wait <= 0 || wait > limits.fanOutPause
    }

    /// Returns whether an older message on the same topic is waiting in this queue.
    func mustFollow(_ message: OutboundMessage) -> Bool { !topics.isEmpty && topics[message.topic] != nil }

    /// Adds a message at the end of the queue.
    mutating func append(_ message: PendingMessage) {
        topics[message.message.topic, default: 0] += 1
        queue.append(message)
    }

    /// Removes and returns the oldest message, or returns nil if no message may be published now.
    mutating func popFirst(at now: Instant) -> PendingMessage? {
        if mayBegin(at: now) {
            nextGroupAt = now.adding(milliseconds: limits.fanOutPause)
            window = max(limits.fanOutWindow, count / max(1, limits.fanOutPauses))
            groupLeft = window
        }
        guard groupLeft > 0, let first = queue.popFirst() else { return nil }
        groupLeft -= 1
        let left = (topics[first.message.topic] ?? 1) - 1
        topics[first.message.topic] = left > 0 ? left : nil
        return first
    }
}
