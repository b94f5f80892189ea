package import Domain

/// Counters that limit attempts, such as wrong passcodes, in a window of time.
///
/// A window that begins too far in the future counts as over. The clock was set back after such a window began.
package struct AttemptTable: TransactionTable {
    let transaction: Transaction

    /// The maximum number of seconds by which a window's beginning may lie in the future.
    ///
    /// A window can begin in the future if another machine, whose clock is ahead, counted its first attempt.
    private static let aheadMaxSeconds: Int64 = 60
    private var farthest: Instant { now.adding(seconds: Self.aheadMaxSeconds) }

    /// Returns how many seconds a subject must wait, or nil if attempts are left.
    package func retryAfter(_ subject: String, max: Int, windowSeconds: Int64) throws -> Int64? {
        guard let (count, since) = try find(subject) else { return nil }
        let end = since.adding(seconds: windowSeconds)
        return count >= max && end > now && since <= farthest ? now.seconds(until: end) : nil
    }

    /// A limit on the attempts of a subject.
    package struct Limit: Sendable {
        /// The subject whose attempts are counted.
        package var subject: String
        /// The number of attempts that are allowed in a window.
        package var max: Int
        /// The length of a window, in seconds.
        package var windowSeconds: Int64

        /// Makes a limit.
        package init(_ subject: String, max: Int, windowSeconds: Int64) {
            (self.subject, self.max, self.windowSeconds) = (subject, max, windowSeconds)
        }
    }

    /// Counts an attempt against all limits, or against none of them if any limit is used up.
    ///
    /// One statement checks a limit, counts the attempt, and locks the counter until the transaction ends. Several
    /// processes together therefore allow no more attempts than a single process would.
    ///
    /// - Returns: The number of seconds until all limits have attempts left, or nil if the attempt was counted.
    package func take(_ limits: [Limit]) throws -> Int64? {
        // All transactions lock counters in the same order, so that no two wait for each other.
        let limits = limits.sorted { $0.subject < $1.subject }
        var taken: Set<String> = []
        try sql.query(
            "\(Self.counting) WHERE attempt.since NOT BETWEEN $4 + 1 AND $5 OR attempt.count < $6 RETURNING subject",
            each: limits
        ) { limit in
            (
                limit.subject,
                now,
                now.adding(seconds: limit.windowSeconds),
                now.adding(seconds: -limit.windowSeconds),
                farthest,
                limit.max
            )
        } row: {
            taken.insert($1.next())
        }
        let refusing = limits.filter { !taken.contains($0.subject) }
        guard !refusing.isEmpty else { return nil }
        for subject in taken.sorted() { try takeBack(subject) }
        // The counters are locked, so `retryAfter` finds that these limits are still used up. The default of 1 s is
        // only a precaution.
        return try refusing.map { try retryAfter($0.subject, max: $0.max, windowSeconds: $0.windowSeconds) ?? 1 }.max()
    }

    /// Counts an attempt, even above the limit, and returns the current window's count.
    ///
    /// The first attempt after a window's end begins a new window.
    @discardableResult
    package func add(_ subject: String, windowSeconds: Int64) throws -> Int {
        Int(
            try sql.integer(
                "\(Self.counting) RETURNING count",
                subject,
                now,
                now.adding(seconds: windowSeconds),
                now.adding(seconds: -windowSeconds),
                farthest
            ) ?? 0
        )
    }

    /// Counts an attempt, and begins a new window if the last one has ended.
    private static let counting = """
        INSERT INTO attempt (subject, count, since, until) VALUES ($1, 1, $2, $3)
        ON CONFLICT (subject) DO UPDATE SET
            count = CASE WHEN attempt.since NOT BETWEEN $4 + 1 AND $5 THEN 1 ELSE attempt.count + 1 END,
            since = CASE WHEN attempt.since NOT BETWEEN $4 + 1 AND $5 THEN excluded.since ELSE attempt.since END,
            until = CASE WHEN attempt.since NOT BETWEEN $4 + 1 AND $5 THEN excluded.until ELSE attempt.until END
        """

    /// Subtracts an attempt that must not count, such as one with the right password.
    package func takeBack(_ subject: String) throws {
        try sql.run("UPDATE attempt SET count = count - 1 WHERE subject = $1 AND count > 0", subject)
    }

    /// The beginnings of subjects about users; in such a subject, the user's id follows the beginning.
    private static let beforeUser = [
        "bindTriesPerUser/", "bindTriesPerUser/qr/", "password/user/", "link/try/", "taken/", "invite:",
        "remoteDevice:",
    ]

    /// Deletes the counters of a user's attempts.
    package func forget(_ uid: UserID) throws {
        try sql.run("DELETE FROM attempt WHERE subject = $1 OR subject >= $2 AND subject < $3", each: Self.beforeUser) {
            beginning in
            let subject = beginning + uid.text
            // All longer subjects that begin with `subject` and a slash lie in this range, because "0" is the character
            // after "/".
            return (subject, subject + "/", subject + "0")
        }
    }

    /// Deletes the counter of a subject's attempts.
    package func clear(_ subject: String) throws { try sql.run("DELETE FROM attempt WHERE subject = $1", subject) }

    /// Returns the number of counters.
    package func count() throws -> Int64 {
        try sql.integer("SELECT count(*) FROM attempt") ?? 0
    }

    private func find(_ subject: String) throws -> (count: Int64, since: Instant)? {
        try sql.first("SELECT count, since FROM attempt WHERE subject = $1", subject) { ($0.next(), $0.next()) }
    }
}
