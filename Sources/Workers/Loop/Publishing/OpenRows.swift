import DequeModule

/// Rows of the outbox whose messages a worker holds in memory, oldest first.
///
/// A row is deleted only when all earlier ones are done as well: otherwise a crash would leave an old status there
/// without the newer one that replaced it, and users would see it go back.
struct OpenRows {
    /// Stands for no row.
    static let none: Int64 = -1

    private var order = Deque<(row: Int64, since: ContinuousClock.Instant)>()
    /// The number of each row's messages that the broker has not confirmed yet; 0 for a row that waits for older
    /// ones.
    private var open: [Int64: Int] = [:]
    /// Rows of which, and of all earlier ones, the broker has confirmed everything.
    private(set) var confirmedRows: [Int64]
    private var known: Set<Int64>

    init(confirmedRows: [Int64]) {
        self.confirmedRows = confirmedRows
        known = Set(confirmedRows)
    }

    /// The number of unfinished rows.
    var count: Int { order.count }
    /// The time at which the oldest one came; nil if there is none.
    var oldest: ContinuousClock.Instant? { order.first?.since }
    /// The number of rows that are still in the store and need no reading.
    var knownCount: Int { known.count }

    /// Whether a row of the store is here already.
    func isKnown(_ row: Int64) -> Bool { known.contains(row) }

    /// Adds a row with its number of messages to be confirmed.
    mutating func begin(_ row: Int64, messages: Int) {
        known.insert(row)
        order.append((row, .now))
        if messages > 0 { open[row] = messages } else { advance() }
    }

    /// Notes that one message of a row is confirmed.
    mutating func confirm(_ row: Int64) {
        guard let count = open[row] else { return }
        open[row] = count > 1 ? count - 1 : nil
        if count == 1 { advance() }
    }

    private mutating func advance() {
        while let first = order.first, open[first.row] == nil {
            confirmedRows.append(first.row)
            _ = order.popFirst()
        }
    }

    /// Forgets the settled rows, after their deletion was committed.
    mutating func forgetConfirmed() {
        for row in confirmedRows { known.remove(row) }
        confirmedRows.removeAll(keepingCapacity: true)
    }
}
