package import Domain
import PostgreSQL

extension PostgresDatabase {
    /// The number of weeks for which partitions are created ahead of time, so that there is one for each new chunk.
    private static let weeksAhead: Int64 = 2
    /// The maximum number of weekly partitions that are created for copied history: the number of weeks in five years.
    fileprivate static let copiedWeeksMax = 5 * 53

    /// Creates the missing partitions of `history` for the week that contains a moment and for the two weeks after it;
    /// returns the number created.
    func makePartitions(at now: Int64) throws -> Int {
        let week = PostgresTables.partitionMilliseconds
        return try makePartitions(forWeeksOf: (0...Self.weeksAhead).map { now + $0 * week })
    }

    /// Creates the missing partitions of `history` for the weeks that contain the given moments, each in a separate
    /// transaction; returns the number created.
    ///
    /// Skips a week if chunks of this week are already in the default partition.
    func makePartitions(forWeeksOf moments: [Int64]) throws -> Int {
        let there = Set(try partitions().map(\.name))
        var made = 0
        for moment in moments where !there.contains(PostgresTables.partition(at: moment).name) {
            do {
                _ = try with { try $0.execute(PostgresTables.making(at: moment)) }
                made += 1
            } catch let error as PostgresError where ["42P07", "23514"].contains(error.state) {
                // Another process has just created the partition, or the default partition contains chunks of this
                // week.
                continue
            }
        }
        return made
    }

    /// Drops the partitions whose chunks all ended before a moment, in milliseconds since 1970; returns the number
    /// dropped.
    func dropPartitions(before moment: Int64) throws -> Int {
        let over = try partitions().filter { $0.to + HistoryTable.spanMax <= moment }
        for partition in over { _ = try with { try $0.execute("DROP TABLE IF EXISTS \(partition.name)") } }
        return over.count
    }

    /// Returns the existing weekly partitions, the oldest first.
    private func partitions() throws -> [(name: String, to: Int64)] {
        try read { sql in
            try sql.query(
                """
                SELECT CAST(c.relname AS TEXT) FROM pg_inherits AS i
                JOIN pg_class AS c ON c.oid = i.inhrelid
                WHERE i.inhparent = CAST('history' AS regclass)
                """
            ) { $0.next(String.self) }
        }.compactMap { name in
            Int64(name.dropFirst("history_w".count)).map { number in
                (name, (number + 1) * PostgresTables.partitionMilliseconds)
            }
        }.sorted { $0.to < $1.to }
    }
}

extension Store {
    /// Creates the history's missing partitions for the week that contains a moment and for some weeks after it;
    /// returns the number created.
    ///
    /// Does nothing if the store is a file.
    package func makeHistoryPartitions(at now: Instant) throws -> Int {
        guard case .postgres(let database) = engine else { return 0 }
        return try database.makePartitions(at: now.milliseconds)
    }

    /// Creates the partitions for history that will be copied from another store.
    ///
    /// Chunks without a partition are stored in the default partition, which can't be dropped as a whole, and which the
    /// server scans whenever a partition is created. If the history covers very many weeks, for example because a
    /// device's clock was wrong, chunks of the oldest weeks stay in the default partition.
    func makeHistoryPartitions(for source: Store) throws {
        guard case .postgres(let database) = engine else { return }
        let weeks = try source.read { tx in
            try tx.sql.query(
                """
                SELECT DISTINCT fromTs / $1 AS week FROM history WHERE fromTs >= 0
                ORDER BY week DESC LIMIT $2
                """,
                PostgresTables.partitionMilliseconds,
                PostgresDatabase.copiedWeeksMax
            ) { $0.next(Int64.self) }
        }
        let moments = weeks.map { $0 * PostgresTables.partitionMilliseconds }
        _ = try database.makePartitions(forWeeksOf: moments)
    }

    /// Drops the history's partitions whose records are all older than a moment; returns the number dropped.
    ///
    /// Does nothing if the store is a file.
    package func dropHistoryPartitions(before moment: Instant) throws -> Int {
        guard case .postgres(let database) = engine else { return 0 }
        return try database.dropPartitions(before: moment.milliseconds)
    }
}
