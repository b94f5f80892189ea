/// The number of messages in the next batch, chosen so that it ends in time.
///
/// A batch of many expensive messages would delay senders of cheap ones; batches of few cheap messages would spend
/// their time on commits. So each is sized by the time that the last one took.
struct BatchPace {
    private let most: Int
    private let target: Duration
    /// The most messages of the next batch.
    private(set) var size: Int

    init(_ limits: Limits) {
        most = limits.batchMax
        target = limits.turnMax
        size = limits.batchMax
    }

    /// Notes the size of a batch and the time that it took.
    mutating func note(_ count: Int, took duration: Duration) {
        guard count > 0 else { return }
        if duration > target {
            // At least half of it: one slow commit says little about the messages.
            let fitting = Int(Double(count) * (target / duration))
            size = max(1, max(fitting, min(count, size) / 2))
        } else if count >= size, duration < target / 2 {
            size = min(most, size * 2)
        }
    }
}
