import Wire

/// Messages that wait to be published, each with its row of the outbox, oldest first.
struct PublishQueue {
    /// A message and the row that owes it.
    struct Pending {
        var row: Int64
        var message: OutboundMessage
    }

    private var pending: [Pending] = []
    private var head = 0
    private static let keptCapacity = 10_000
    private static let headMax = 4096

    /// How many wait.
    var count: Int { pending.count - head }

    /// Adds one behind all others.
    mutating func append(_ message: Pending) { pending.append(message) }

    /// Takes the oldest.
    mutating func popFirst() -> Pending? {
        guard head < pending.count else { return nil }
        let first = pending[head]
        head += 1
        if head == pending.count {
            pending.removeAll(keepingCapacity: pending.count < Self.keptCapacity)
            head = 0
        } else if head > Self.headMax {
            pending.removeSubrange(..<head)
            head = 0
        }
        return first
    }
}

/// Messages that tell very many the same, and those for the same topics that came after them.
struct CrowdQueue {
    private var queue = PublishQueue()
    /// How many messages wait for each topic.
    private var topics: [String: Int] = [:]

    /// How many wait.
    var count: Int { queue.count }

    /// Whether an older message for the same topic waits here, which must go out first.
    func mustFollow(_ message: OutboundMessage) -> Bool {
        !topics.isEmpty && topics[message.topic] != nil
    }

    /// Adds one behind all others.
    mutating func append(_ message: PublishQueue.Pending) {
        topics[message.message.topic, default: 0] += 1
        queue.append(message)
    }

    /// Takes the oldest.
    mutating func popFirst() -> PublishQueue.Pending? {
        guard let first = queue.popFirst() else { return nil }
        let left = (topics[first.message.topic] ?? 1) - 1
        topics[first.message.topic] = left > 0 ? left : nil
        return first
    }
}
