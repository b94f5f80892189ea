/// Rows of the outbox whose messages are in a worker's hands, oldest first.
///
/// A row is struck out only when all before it are done as well: else a crash would leave an old status
/// there without the newer one that made it void, and users would see it go back.
struct OpenRows {
    private var order = Line<(row: Int64, since: ContinuousClock.Instant)>()
    /// How many messages of each row the broker has not confirmed yet; none for one that waits for
    /// older ones.
    private var open: [Int64: Int] = [:]
    /// Rows of which the broker has taken everything, and of all before them.
    private(set) var settled: [Int64]
    private var known: Set<Int64>

    init(settled: [Int64]) {
        self.settled = settled
        known = Set(settled)
    }

    /// Rows that are not done.
    var count: Int { order.count }
    /// Since when the oldest one is here; nil where there is none.
    var oldest: ContinuousClock.Instant? { order.first?.since }
    /// Rows that the store still has and that need no reading.
    var knownCount: Int { known.count }

    /// Whether a row of the store's is here already.
    func isKnown(_ row: Int64) -> Bool { known.contains(row) }

    /// Takes a row with so many messages to be confirmed.
    mutating func begin(_ row: Int64, messages: Int) {
        known.insert(row)
        order.append((row, .now))
        if messages > 0 { open[row] = messages } else { advance() }
    }

    /// One message of a row is done.
    mutating func confirm(_ row: Int64) {
        guard let count = open[row] else { return }
        open[row] = count > 1 ? count - 1 : nil
        if count == 1 { advance() }
    }

    private mutating func advance() {
        while let first = order.first, open[first.row] == nil {
            settled.append(first.row)
            _ = order.popFirst()
        }
    }

    /// The settled rows are gone for good.
    mutating func forgetSettled() {
        for row in settled { known.remove(row) }
        settled.removeAll(keepingCapacity: true)
    }
}
