import Domain

/// The number of messages in the next batch, chosen so that the batch ends in time.
///
/// A batch of many expensive messages would delay the senders of cheap ones; batches of few cheap messages would spend
/// their time on commits. So each batch is sized by the duration of the last one.
///
/// With a remote database most of that duration can be latency, however few the messages are: smaller batches would
/// then only slow everything down.
///
/// The first batch of a lane that processes share is small: a lane that was taken over has a backlog, and the time per
/// message isn't known yet.
struct BatchPace {
    /// The maximum number of messages of a shared lane's first batch.
    static let firstMax = 16

    private let most: Int
    private let target: Duration
    private let isElsewhere: Bool
    /// The shortest recent duration of a batch.
    private var least = Duration.seconds(3600)
    /// The maximum number of messages of the next batch.
    private(set) var size: Int

    /// Creates a pace that begins with the largest batches, or with a small one if processes share the lanes.
    ///
    /// `isElsewhere` means that the store may be on another machine.
    init(_ limits: Limits, isElsewhere: Bool = false, isShared: Bool = false) {
        self.isElsewhere = isElsewhere
        most = limits.batchMax
        target = limits.turnMax
        size = isShared ? min(Self.firstMax, limits.batchMax) : limits.batchMax
    }

    /// Adapts the next size to the size and duration of a batch.
    mutating func adapt(to count: Int, took duration: Duration) {
        guard count > 0 else { return }
        if isElsewhere { least = min(duration, least * 1.02) }
        let target = isElsewhere ? max(target, least * 3) : target
        if duration > target {
            // At least half of the size: one slow commit says little about the messages.
            let fitting = Int(Double(count) * (target / duration))
            size = max(1, max(fitting, min(count, size) / 2))
        } else if count >= size, duration < target / 2 {
            size = min(most, size * 2)
        }
    }
}
