/// How many messages the next batch takes, so that it is over in time.
///
/// A batch of many dear messages would have those wait who ask for something cheap; one of few cheap ones
/// would spend its time on commits. So it is cut to what the last one took.
struct BatchPace {
    private let most: Int
    private let target: Duration
    /// Messages of the next batch at most.
    private(set) var size: Int

    init(_ limits: Limits) {
        most = limits.batchMax
        target = limits.turnMax
        size = limits.batchMax
    }

    /// Takes how long a batch of so many took.
    mutating func note(_ count: Int, took duration: Duration) {
        guard count > 0 else { return }
        if duration > target {
            // Half of it at least: one slow commit says little of the messages.
            let fitting = Int(Double(count) * (target / duration))
            size = max(1, max(fitting, min(count, size) / 2))
        } else if count >= size, duration < target / 2 {
            size = min(most, size * 2)
        }
    }
}
