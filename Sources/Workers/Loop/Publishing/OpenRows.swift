import DequeModule

/// The rows of the outbox whose messages a worker has in memory, oldest first.
///
/// A row is deleted only when the broker has confirmed that row and all earlier rows. Otherwise, a crash could leave an
/// old status in the outbox without its replacement. Users would then see the old status.
struct OpenRows {
    /// The value that stands in place of a row number if a message has no row in the outbox.
    static let none: Int64 = -1

    private var order = Deque<(row: Int64, since: ContinuousClock.Instant)>()
    /// The number of unconfirmed messages of each row; rows without unconfirmed messages are absent.
    private var open: [Int64: Int] = [:]
    /// The rows that may be deleted, because the broker has confirmed them and all older rows.
    private(set) var confirmedRows: [Int64]
    private var known: Set<Int64>

    init(confirmedRows: [Int64]) {
        self.confirmedRows = confirmedRows
        known = Set(confirmedRows)
    }

    /// The number of unfinished rows, which have unconfirmed messages or wait for older rows.
    var count: Int { order.count }
    /// When the oldest unfinished row was added, or nil if all rows are finished.
    var oldest: ContinuousClock.Instant? { order.first?.since }
    /// The number of stored rows that need not be read, because they are in memory or confirmed.
    var knownCount: Int { known.count }

    /// Returns whether a row of the store is already in memory or confirmed.
    func isKnown(_ row: Int64) -> Bool { known.contains(row) }

    /// Adds a row, and notes how many messages of the row the broker must confirm.
    mutating func add(_ row: Int64, messages: Int) {
        known.insert(row)
        order.append((row, .now))
        if messages > 0 { open[row] = messages } else { advance() }
    }

    /// Records that the broker has confirmed one message of a row.
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

    /// Forgets the confirmed rows, after their deletion was committed.
    mutating func forgetConfirmed() {
        for row in confirmedRows { known.remove(row) }
        confirmedRows.removeAll(keepingCapacity: true)
    }
}
