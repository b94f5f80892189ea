import DequeModule
import Domain

/// Messages with the same content for very many receivers, and later messages for the same topics.
///
/// They are published in groups with pauses, since a thousand at once would keep the cores busy for some 50 ms.
struct FanOutQueue {
    private var queue = Deque<PendingMessage>()
    /// The number of waiting messages of each topic.
    private var topics: [String: Int] = [:]
    private let limits: Limits
    /// The number of messages of the current group that may still be published.
    private var groupLeft = 0
    /// The number of a group's messages that the broker may hold unconfirmed.
    private(set) var window: Int
    private var nextGroupAt = Instant(milliseconds: 0)

    init(_ limits: Limits) {
        self.limits = limits
        window = limits.fanOutWindow
    }

    /// The number of waiting messages.
    var count: Int { queue.count }

    /// Returns the milliseconds until the next message may be published; nil if none waits.
    func pause(at now: Instant) -> Int64? {
        guard count > 0 else { return nil }
        if groupLeft > 0 || mayBegin(at: now) { return 0 }
        return nextGroupAt.milliseconds - now.milliseconds
    }

    private func mayBegin(at now: Instant) -> Bool {
        let wait = nextGroupAt.milliseconds - now.milliseconds
        // A longer wait shows that the clock has been set back since.
        return wait <= 0 || wait > limits.fanOutPause
    }

    /// Whether an older message for the same topic waits in this queue and must be published first.
    func mustFollow(_ message: OutboundMessage) -> Bool { !topics.isEmpty && topics[message.topic] != nil }

    /// Adds a message behind all others.
    mutating func append(_ message: PendingMessage) {
        topics[message.message.topic, default: 0] += 1
        queue.append(message)
    }

    /// Removes and returns the oldest message; nil if none waits or the current group is complete.
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
