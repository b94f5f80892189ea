import Domain

/// The number of messages in the next batch, chosen so that the batch ends in time.
///
/// Large batches of expensive messages would delay the senders of cheap messages. Small batches of cheap messages would
/// spend most of the time on commits. Therefore, the size of each batch depends on the duration of the last batch.
///
/// With a remote database, a batch's duration can be mostly latency. Smaller batches don't shorten latency. The target
/// duration is then at least three times the shortest recent duration.
///
/// If processes share the lanes, a lane's first batch is small. A lane that was taken over has a backlog of unknown
/// cost.
struct BatchPace {
    /// The maximum size of a lane's first batch if processes share the lanes.
    static let firstMax = 16

    private let most: Int
    private let target: Duration
    private let isElsewhere: Bool
    /// The shortest recent duration of a batch.
    private var least = Duration.seconds(3600)
    /// The maximum number of messages in the next batch.
    private(set) var size: Int

    /// Creates a pace that begins with the largest batch size, or with a small size if lanes are shared.
    ///
    /// `isElsewhere` means that the store may be on another machine.
    init(_ limits: Limits, isElsewhere: Bool = false, isShared: Bool = false) {
        self.isElsewhere = isElsewhere
        most = limits.batchMax
        target = limits.turnMax
        size = isShared ? min(Self.firstMax, limits.batchMax) : limits.batchMax
    }

    /// Adapts the size of the next batch to the size and duration of the last batch.
    mutating func adapt(to count: Int, took duration: Duration) {
        guard count > 0 else { return }
        if isElsewhere { least = min(duration, least * 1.02) }
        let target = isElsewhere ? max(target, least * 3) : target
        if duration > target {
            // The size is at most halved, since one slow commit says little about the messages.
            let fitting = Int(Double(count) * (target / duration))
            size = max(1, max(fitting, min(count, size) / 2))
        } else if count >= size, duration < target / 2 {
            size = min(most, size * 2)
        }
    }
}
