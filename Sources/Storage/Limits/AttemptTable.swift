package import Domain

/// Counts tries: wrong passcodes, wrong secrets, and whatever else is limited in a window of time.
package struct AttemptTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }

    /// After how many seconds a subject may try again; nil while it has tries left.
    package func retryAfter(
        _ subject: String,
        max: Int,
        windowSeconds: Int64
    ) throws -> Int64? {
        guard let (count, since) = try find(subject) else { return nil }
        let end = since.adding(seconds: windowSeconds)
        return count >= max && end > transaction.now
            ? transaction.now.seconds(until: end) : nil
    }

    /// Counts a try; the first one after a window's end starts a new window.
    package func add(_ subject: String, windowSeconds: Int64) throws {
        try sql.run(
            """
            INSERT INTO attempt (subject, count, since, until) VALUES ($1, 1, $2, $3)
            ON CONFLICT (subject) DO UPDATE SET
                count = CASE WHEN attempt.since <= $4 THEN 1 ELSE attempt.count + 1 END,
                since = CASE WHEN attempt.since <= $4 THEN excluded.since ELSE attempt.since END,
                until = CASE WHEN attempt.since <= $4 THEN excluded.until ELSE attempt.until END
            """
        ) {
            $0.add(subject)
            $0.add(transaction.now.milliseconds)
            $0.add(transaction.now.adding(seconds: windowSeconds).milliseconds)
            $0.add(transaction.now.adding(seconds: -windowSeconds).milliseconds)
        }
    }

    /// Takes back a try that was counted before it proved right.
    package func takeBack(_ subject: String) throws {
        try sql.run("UPDATE attempt SET count = count - 1 WHERE subject = $1 AND count > 0") {
            $0.add(subject)
        }
    }

    /// Forgets a subject's tries.
    package func clear(_ subject: String) throws {
        try sql.run("DELETE FROM attempt WHERE subject = $1") { $0.add(subject) }
    }

    /// Returns how many counters there are.
    package func count() throws -> Int64 {
        try sql.integer("SELECT count(*) FROM attempt") ?? 0
    }

    /// Forgets the counters that end first, at most `limit`; returns how many.
    package func dropOldest(_ limit: Int) throws -> Int {
        try prune(before: Instant(milliseconds: .max), limit: limit)
    }

    /// Forgets counters that ended before a moment, at most `limit`; returns how many.
    package func prune(before: Instant, limit: Int) throws -> Int {
        try sql.run(
            """
            DELETE FROM attempt WHERE subject IN (
                SELECT subject FROM attempt WHERE until < $1 ORDER BY until LIMIT $2)
            """
        ) {
            $0.add(before.milliseconds)
            $0.add(limit)
        }
        return sql.changes
    }

    private func find(_ subject: String) throws -> (count: Int64, since: Instant)? {
        try sql.query("SELECT count, since FROM attempt WHERE subject = $1") {
            $0.add(subject)
        } row: {
            ($0.integer(0), Instant(milliseconds: $0.integer(1)))
        }.first
    }
}
