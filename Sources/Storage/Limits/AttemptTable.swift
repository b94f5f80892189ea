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
            """,
            subject,
            transaction.now,
            transaction.now.adding(seconds: windowSeconds),
            transaction.now.adding(seconds: -windowSeconds)
        )
    }

    /// Takes back a try that was counted before it proved right.
    package func takeBack(_ subject: String) throws {
        try sql.run(
            "UPDATE attempt SET count = count - 1 WHERE subject = $1 AND count > 0",
            subject
        )
    }

    /// How subjects begin that go on with a user's id, alone or before a slash.
    private static let beforeUser = [
        "bindTriesPerUser/", "bindTriesPerUser/qr/", "password/user/", "link/try/", "taken/",
        "invite:", "remoteDevice:",
    ]

    /// Forgets a user's tries.
    package func forget(_ uid: UserID) throws {
        try sql.run(
            "DELETE FROM attempt WHERE subject = $1 OR subject >= $2 AND subject < $3",
            each: Self.beforeUser
        ) { beginning in
            let subject = beginning + uid.text
            // From the slash to the character behind it.
            return (subject, subject + "/", subject + "0")
        }
    }

    /// Forgets a subject's tries.
    package func clear(_ subject: String) throws {
        try sql.run("DELETE FROM attempt WHERE subject = $1", subject)
    }

    /// Returns how many counters there are.
    package func count() throws -> Int64 {
        try sql.integer("SELECT count(*) FROM attempt") ?? 0
    }

    /// Forgets the counters that end first, at most `limit`; returns how many.
    package func dropOldest(_ limit: Int) throws -> Int {
        try transaction.retention.delete(
            .attempt,
            before: Instant(milliseconds: .max),
            limit: limit
        )
    }

    private func find(_ subject: String) throws -> (count: Int64, since: Instant)? {
        try sql.first("SELECT count, since FROM attempt WHERE subject = $1", subject) {
            ($0.next(), $0.next())
        }
    }
}
