package import Domain
import PostgreSQL

extension PostgresDatabase {
    /// The number of weeks for which partitions are created in advance, so that each chunk has a partition.
    private static let weeksAhead: Int64 = 2
    /// The maximum number of partitions for copied history, enough for five years of weeks.
    fileprivate static let copiedWeeksMax = 5 * 53

    /// Creates missing partitions for the week of `now` and the next two weeks, and returns how many.
    func makePartitions(at now: Int64) throws -> Int {
        let week = PostgresTables.partitionMilliseconds
        return try makePartitions(forWeeksOf: (0...Self.weeksAhead).map { now + $0 * week })
    }

    /// Creates missing partitions for the weeks of the given moments, and returns how many.
    ///
    /// Skips a week if the default partition already contains chunks of that week.
    func makePartitions(forWeeksOf moments: [Int64]) throws -> Int {
        let there = Set(try partitions().map(\.name))
        var made = 0
        for moment in moments where !there.contains(PostgresTables.partition(at: moment).name) {
            do {
                _ = try with { try $0.execute(PostgresTables.making(at: moment)) }
                made += 1
            } catch let error as PostgresError where ["42P07", "23514"].contains(error.state) {
                // Another process has created the partition, or the default partition has chunks of this week.
                continue
            }
        }
        return made
    }

    /// Drops partitions whose chunks ended before `moment` (in ms since 1970), and returns how many.
    func dropPartitions(before moment: Int64) throws -> Int {
        let over = try partitions().filter { $0.to + HistoryTable.spanMax <= moment }
        for partition in over { _ = try with { try $0.execute("DROP TABLE IF EXISTS \(partition.name)") } }
        return over.count
    }

    /// Returns the existing weekly partitions, the oldest first.
    private func partitions() throws -> [(name: String, to: Int64)] {
        let names: [String] = try read { sql in
            try sql.values(
                """
                SELECT CAST(c.relname AS TEXT) FROM pg_inherits AS i
                JOIN pg_class AS c ON c.oid = i.inhrelid
                WHERE i.inhparent = CAST('history' AS regclass)
                """
            )
        }
        return names.compactMap { name in
            Int64(name.dropFirst("history_w".count)).map { (name, ($0 + 1) * PostgresTables.partitionMilliseconds) }
        }.sorted { $0.to < $1.to }
    }
}

extension Store {
    /// Creates missing partitions for this and later weeks, and returns how many (0 on SQLite).
    package func makeHistoryPartitions(at now: Instant) throws -> Int {
        try server?.makePartitions(at: now.milliseconds) ?? 0
    }

    /// Creates the partitions for history that will be copied from another store.
    ///
    /// Chunks without a partition go to the default partition. It can't be dropped, and is scanned whenever another
    /// partition is created. A wrong clock can make the history cover very many weeks. In that case, the oldest chunks
    /// go to the default partition.
    func makeHistoryPartitions(for source: Store) throws {
        guard let server else { return }
        let weeks: [Int64] = try source.read { tx in
            try tx.sql.values(
                "SELECT DISTINCT fromTs / $1 AS week FROM history WHERE fromTs >= 0 ORDER BY week DESC LIMIT $2",
                PostgresTables.partitionMilliseconds,
                PostgresDatabase.copiedWeeksMax
            )
        }
        _ = try server.makePartitions(forWeeksOf: weeks.map { $0 * PostgresTables.partitionMilliseconds })
    }

    /// Drops partitions whose records are all older than `moment`, and returns how many (0 on SQLite).
    package func dropHistoryPartitions(before moment: Instant) throws -> Int {
        try server?.dropPartitions(before: moment.milliseconds) ?? 0
    }
}
