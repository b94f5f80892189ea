package import Domain
import PostgreSQL

extension PostgresDatabase {
    /// Partitions are made this far ahead, in milliseconds, so that no chunk waits for one.
    private static let aheadMilliseconds = 2 * PostgresTables.partitionMilliseconds

    /// Makes the partitions of `history` from one moment to another, and to two weeks ahead of the later one, where they
    /// are missing, each in a transaction of its own; returns how many it made.
    ///
    /// One for a time of which chunks lie in the default partition already is left out.
    func makePartitions(from: Int64, to: Int64) throws -> Int {
        let there = Set(try partitions().map(\.name))
        var made = 0
        var moment = from
        while PostgresTables.partition(at: moment).from <= to + Self.aheadMilliseconds {
            let (name, _, next) = PostgresTables.partition(at: moment)
            moment = next
            guard !there.contains(name) else { continue }
            do {
                _ = try with { try $0.execute(PostgresTables.making(at: next - 1)) }
                made += 1
            } catch let error as PostgresError where ["42P07", "23514"].contains(error.state) {
                // Another process made it just now, or the default partition holds chunks of its time.
                continue
            }
        }
        return made
    }

    /// Drops the partitions whose chunks all ended before a moment, in milliseconds since 1970; returns how many.
    func dropPartitions(before moment: Int64) throws -> Int {
        let over = try partitions().filter { $0.to + HistoryTable.spanMax <= moment }
        for partition in over {
            _ = try with { try $0.execute("DROP TABLE IF EXISTS \(partition.name)") }
        }
        return over.count
    }

    /// Returns the weekly partitions there are, oldest first.
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
    /// Makes the partitions of the history from one moment to another, and some ahead; returns how many it made.
    ///
    /// Nothing is to be done for a file.
    package func makeHistoryPartitions(from: Instant, to: Instant) throws -> Int {
        guard case .postgres(let database) = engine else { return 0 }
        return try database.makePartitions(from: from.milliseconds, to: to.milliseconds)
    }

    /// Drops the partitions of the history whose records are all older than a moment; returns how many.
    ///
    /// Nothing is to be done for a file.
    package func dropHistoryPartitions(before moment: Instant) throws -> Int {
        guard case .postgres(let database) = engine else { return 0 }
        return try database.dropPartitions(before: moment.milliseconds)
    }
}
