package import Domain

/// Counts tries: wrong passcodes, wrong secrets, and whatever else is limited in a window of time.
///
/// A window that begins farther ahead than two machines' clocks may differ stems from a clock that was set back since: it
/// is over.
package struct AttemptTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }

    /// How far ahead a window may begin, in seconds.
    private static let aheadMaxSeconds: Int64 = 60
    private var farthest: Instant { transaction.now.adding(seconds: Self.aheadMaxSeconds) }

    /// After how many seconds a subject may try again; nil while it has tries left.
    package func retryAfter(
        _ subject: String,
        max: Int,
        windowSeconds: Int64
    ) throws -> Int64? {
        guard let (count, since) = try find(subject) else { return nil }
        let end = since.adding(seconds: windowSeconds)
        return count >= max && end > transaction.now && since <= farthest
            ? transaction.now.seconds(until: end) : nil
    }

    /// A limit on tries.
    package struct Limit: Sendable {
        /// What is counted.
        package var subject: String
        /// How many tries a window has.
        package var max: Int
        /// The length of a window, in seconds.
        package var windowSeconds: Int64

        /// Makes a limit.
        package init(_ subject: String, max: Int, windowSeconds: Int64) {
            self.subject = subject
            self.max = max
            self.windowSeconds = windowSeconds
        }
    }

    /// Counts a try within each of some limits; where one is used up, none is counted.
    ///
    /// Each try is compared and counted in one statement, which keeps the counter to this transaction until its end:
    /// several processes together have no more tries than one.
    ///
    /// - Returns: The seconds until the last of the limits that are used up opens again; nil if the try was counted.
    package func take(_ limits: [Limit]) throws -> Int64? {
        // In one order, so that no two transactions wait for each other.
        let limits = limits.sorted { $0.subject < $1.subject }
        var taken: Set<String> = []
        try sql.query(
            """
            \(Self.counting) WHERE attempt.since NOT BETWEEN $4 + 1 AND $5 OR attempt.count < $6
            RETURNING subject
            """,
            each: limits
        ) { limit in
            (
                limit.subject,
                transaction.now,
                transaction.now.adding(seconds: limit.windowSeconds),
                transaction.now.adding(seconds: -limit.windowSeconds),
                farthest,
                limit.max
            )
        } row: {
            taken.insert($1.next())
        }
        let refusing = limits.filter { !taken.contains($0.subject) }
        guard !refusing.isEmpty else { return nil }
        for subject in taken.sorted() { try takeBack(subject) }
        // At least a second: another transaction may have counted by a clock that is ahead of ours.
        return try refusing.map {
            try retryAfter($0.subject, max: $0.max, windowSeconds: $0.windowSeconds) ?? 1
        }.max()
    }

    /// Counts a try, whether or not there are any left; returns how many there are in the present window.
    ///
    /// The first one after a window's end starts a new window.
    @discardableResult
    package func add(_ subject: String, windowSeconds: Int64) throws -> Int {
        Int(
            try sql.integer(
                "\(Self.counting) RETURNING count",
                subject,
                transaction.now,
                transaction.now.adding(seconds: windowSeconds),
                transaction.now.adding(seconds: -windowSeconds),
                farthest
            ) ?? 0
        )
    }

    /// Counts one more in the present window, or the first one of a new window.
    private static let counting = """
        INSERT INTO attempt (subject, count, since, until) VALUES ($1, 1, $2, $3)
        ON CONFLICT (subject) DO UPDATE SET
            count = CASE WHEN attempt.since NOT BETWEEN $4 + 1 AND $5 THEN 1 ELSE attempt.count + 1 END,
            since = CASE WHEN attempt.since NOT BETWEEN $4 + 1 AND $5 THEN excluded.since ELSE attempt.since END,
            until = CASE WHEN attempt.since NOT BETWEEN $4 + 1 AND $5 THEN excluded.until ELSE attempt.until END
        """

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

    private func find(_ subject: String) throws -> (count: Int64, since: Instant)? {
        try sql.first("SELECT count, since FROM attempt WHERE subject = $1", subject) {
            ($0.next(), $0.next())
        }
    }
}
