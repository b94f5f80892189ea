import Domain
import Wire

/// Messages that tell very many the same, and those for the same topics that came after them.
///
/// They go out in groups with pauses, since a thousand at once would keep the cores busy for some 50 ms.
struct CrowdQueue {
    private var queue = Line<PendingMessage>()
    /// How many messages wait for each topic.
    private var topics: [String: Int] = [:]
    private let limits: Limits
    /// How many of the present group may still go out.
    private var groupLeft = 0
    /// How many of a group the broker may hold unconfirmed.
    private(set) var window: Int
    private var nextGroupAt = Instant(milliseconds: 0)

    init(_ limits: Limits) {
        self.limits = limits
        window = limits.crowdWindow
    }

    /// How many wait.
    var count: Int { queue.count }

    /// How long, in milliseconds, until the next one may go out; nil where none waits.
    func pause(at now: Instant) -> Int64? {
        guard count > 0 else { return nil }
        if groupLeft > 0 || mayBegin(at: now) { return 0 }
        return nextGroupAt.milliseconds - now.milliseconds
    }

    private func mayBegin(at now: Instant) -> Bool {
        let wait = nextGroupAt.milliseconds - now.milliseconds
        // A longer wait was asked for by a clock that has been set back since.
        return wait <= 0 || wait > limits.crowdPause
    }

    /// Whether an older message for the same topic waits here, which must go out first.
    func mustFollow(_ message: OutboundMessage) -> Bool {
        !topics.isEmpty && topics[message.topic] != nil
    }

    /// Adds one behind all others.
    mutating func append(_ message: PendingMessage) {
        topics[message.message.topic, default: 0] += 1
        queue.append(message)
    }

    /// Takes the oldest; nil where none waits or those of this group have gone out.
    mutating func popFirst(at now: Instant) -> PendingMessage? {
        if mayBegin(at: now) {
            nextGroupAt = now.adding(milliseconds: limits.crowdPause)
            window = max(limits.crowdWindow, count / max(1, limits.crowdPauses))
            groupLeft = window
        }
        guard groupLeft > 0, let first = queue.popFirst() else { return nil }
        groupLeft -= 1
        let left = (topics[first.message.topic] ?? 1) - 1
        topics[first.message.topic] = left > 0 ? left : nil
        return first
    }
}
