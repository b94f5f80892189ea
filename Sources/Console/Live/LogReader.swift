/// A reader of the new rows in a growing log.
///
/// Several processes write the log, with different clocks and overlapping transactions. So a row can appear after a row
/// with a larger id. Therefore, the reader rereads the newest rows for a while. The ids of these rows are smaller than
/// the newest id by at most `distance`.
struct LogReader: Sendable {
    private let distance: Int64
    private let limit: Int
    /// The ids of the rows to skip when rereading, or nil before the first read.
    private var told: Set<Int64>?
    /// The moment until which rows are read again.
    private var againUntil = ContinuousClock.now

    /// The maximum number of rows whose ids the reader notes during its first read.
    ///
    /// This limit suffices, because fewer rows are written in ten seconds.
    private static let againMax = 100_000
    /// How long the reader rereads rows after its first read, and after each read that found new rows.
    ///
    /// In this time, the rows with smaller ids appear too: a transaction can take 5 s, and clocks can differ by 1 s.
    private static let againTime: Duration = .seconds(10)

    /// Creates a reader that returns at most `limit` rows at a time.
    init(distance: Int64, limit: Int) {
        (self.distance, self.limit) = (distance, limit)
    }

    /// Returns the rows that haven't been returned yet, and moves `position` past them.
    ///
    /// If `position` is nil, the call returns no rows, and sets the position to the log's end. `page` returns the rows
    /// after an id, in the order of their ids.
    mutating func newRows<Row>(
        after position: inout Int64?,
        at now: ContinuousClock.Instant = .now,
        newest: () throws -> Int64,
        id: (Row) -> Int64,
        page: (_ after: Int64, _ limit: Int) throws -> [Row]
    ) throws -> [Row] {
        let isNew = position == nil
        let known = try position ?? newest()
        position = known
        let earliest = max(0, known - distance)
        if isNew || told == nil {
            told = try seen(earliest, known, id: id, page: page)
            againUntil = now + Self.againTime
        }
        guard !isNew, let before = told else { return [] }
        let isQuiet = now >= againUntil
        let rows = try page(isQuiet ? known : earliest, limit + before.count).filter { !before.contains(id($0)) }
        guard let last = rows.last else { return [] }
        let end = max(known, id(last))
        position = end
        againUntil = now + Self.againTime
        told = before.union(rows.map(id)).filter { $0 > end - distance }
        return rows
    }

    private func seen<Row>(
        _ from: Int64,
        _ known: Int64,
        id: (Row) -> Int64,
        page: (_ after: Int64, _ limit: Int) throws -> [Row]
    ) throws -> Set<Int64> {
        guard distance > 0 else { return [] }
        return Set(try page(from, Self.againMax).map(id).filter { $0 <= known })
    }
}
