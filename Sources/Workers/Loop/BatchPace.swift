import Domain

/// The number of messages in the next batch, chosen so that it ends in time.
///
/// A batch of many expensive messages would delay senders of cheap ones; batches of few cheap messages would spend
/// their time on commits. So each is sized by the time that the last one took.
///
/// With a database elsewhere most of that time may be the way there, however few the messages are: smaller batches would
/// then make everything slower, and nothing end sooner.
///
/// Of lanes that processes share the first batch is small: a lane that was taken over has much waiting, and what a message
/// takes isn't known yet.
struct BatchPace {
    /// The messages of a shared lane's first batch.
    static let firstMax = 16

    private let most: Int
    private let target: Duration
    private let isElsewhere: Bool
    /// The least time that a batch takes at present.
    private var least = Duration.seconds(3600)
    /// The most messages of the next batch.
    private(set) var size: Int

    /// Begins with the largest batches, or with a small one where processes share the lanes; `isElsewhere` says that the
    /// store may be on another machine.
    init(_ limits: Limits, isElsewhere: Bool = false, isShared: Bool = false) {
        self.isElsewhere = isElsewhere
        most = limits.batchMax
        target = limits.turnMax
        size = isShared ? min(Self.firstMax, limits.batchMax) : limits.batchMax
    }

    /// Notes the size of a batch and the time that it took.
    mutating func note(_ count: Int, took duration: Duration) {
        guard count > 0 else { return }
        if isElsewhere { least = min(duration, least * 1.02) }
        let target = isElsewhere ? max(target, least * 3) : target
        if duration > target {
            // At least half of it: one slow commit says little about the messages.
            let fitting = Int(Double(count) * (target / duration))
            size = max(1, max(fitting, min(count, size) / 2))
        } else if count >= size, duration < target / 2 {
            size = min(most, size * 2)
        }
    }
}
