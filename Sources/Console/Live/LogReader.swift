/// What a reader of a growing log was told of it last.
///
/// Where several processes write, a row may be seen behind one with a larger id: their clocks differ, and transactions end in
/// another order than they began. So for a while after each new row those whose ids are smaller by at most `distance` are
/// looked at again.
struct LogReader: Sendable {
    private let distance: Int64
    private let limit: Int
    /// The ids that were told, of those that are looked at again; nil before the first look.
    private var told: Set<Int64>?
    /// Until when they are looked at again.
    private var againUntil = ContinuousClock.now

    /// How many rows are looked at again at most: more than are written in ten seconds.
    private static let againMax = 100_000
    /// How long they are: transactions last up to five seconds, and clocks differ by up to one.
    private static let againTime: Duration = .seconds(10)

    /// Follows a log, of which one look tells at most `limit` rows.
    init(distance: Int64, limit: Int) {
        self.distance = distance
        self.limit = limit
    }

    /// Returns the rows that were not returned yet, and moves `position` behind them.
    ///
    /// Without a position the first look returns none, and sets it to the log's end. `page` returns rows behind an id in the
    /// order of their ids.
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
        let rows = try page(isQuiet ? known : earliest, limit + before.count).filter {
            !before.contains(id($0))
        }
        guard let last = rows.last else { return [] }
        let end = max(known, id(last))
        position = end
        againUntil = now + Self.againTime
        told = before.union(rows.map(id)).filter { $0 > end - distance }
        return rows
    }

    /// The rows that were there before the first look.
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
