package import Domain

/// Counters of tries: wrong passcodes, wrong secrets, and anything else limited in a window of time.
///
/// A window that begins farther ahead than two machines' clocks can differ stems from a clock that was set back since,
/// and counts as over.
package struct AttemptTable: TransactionTable {
    let transaction: Transaction

    /// How far ahead a window can begin, in seconds.
    private static let aheadMaxSeconds: Int64 = 60
    private var farthest: Instant { transaction.now.adding(seconds: Self.aheadMaxSeconds) }

    /// Returns the seconds until a subject can try again; nil while it has tries left.
    package func retryAfter(
        _ subject: String,
        max: Int,
        windowSeconds: Int64
    ) throws -> Int64? {
        guard let (count, since) = try find(subject) else { return nil }
        let end = since.adding(seconds: windowSeconds)
        return count >= max && end > transaction.now && since <= farthest ? transaction.now.seconds(until: end) : nil
    }

    /// A limit on tries.
    package struct Limit: Sendable {
        /// The counted subject.
        package var subject: String
        /// The number of tries in a window.
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

    /// Counts a try within each of some limits, or none if a limit is used up.
    ///
    /// One statement compares and counts a try, and locks the counter until the transaction ends, so that several
    /// processes together have no more tries than one.
    ///
    /// - Returns: The seconds until none of the limits is used up any more; nil if the try was counted.
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
        return try refusing.map { try retryAfter($0.subject, max: $0.max, windowSeconds: $0.windowSeconds) ?? 1 }.max()
    }

    /// Counts a try, even if none is left; returns the number of tries in the present window.
    ///
    /// The first try after a window's end starts a new window.
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

    /// The statement that counts a try in the present window, or as the first of a new window.
    private static let counting = """
        INSERT INTO attempt (subject, count, since, until) VALUES ($1, 1, $2, $3)
        ON CONFLICT (subject) DO UPDATE SET
            count = CASE WHEN attempt.since NOT BETWEEN $4 + 1 AND $5 THEN 1 ELSE attempt.count + 1 END,
            since = CASE WHEN attempt.since NOT BETWEEN $4 + 1 AND $5 THEN excluded.since ELSE attempt.since END,
            until = CASE WHEN attempt.since NOT BETWEEN $4 + 1 AND $5 THEN excluded.until ELSE attempt.until END
        """

    /// Takes back a try that was counted before it proved right.
    package func takeBack(_ subject: String) throws {
        try sql.run("UPDATE attempt SET count = count - 1 WHERE subject = $1 AND count > 0", subject)
    }

    /// The beginnings of subjects that continue with a user's id, alone or before a slash.
    private static let beforeUser = [
        "bindTriesPerUser/", "bindTriesPerUser/qr/", "password/user/", "link/try/", "taken/", "invite:",
        "remoteDevice:",
    ]

    /// Deletes a user's tries.
    package func forget(_ uid: UserID) throws {
        try sql.run("DELETE FROM attempt WHERE subject = $1 OR subject >= $2 AND subject < $3", each: Self.beforeUser) {
            beginning in
            let subject = beginning + uid.text
            // From the slash to the character after it.
            return (subject, subject + "/", subject + "0")
        }
    }

    /// Deletes a subject's tries.
    package func clear(_ subject: String) throws { try sql.run("DELETE FROM attempt WHERE subject = $1", subject) }

    /// Returns how many counters there are.
    package func count() throws -> Int64 {
        try sql.integer("SELECT count(*) FROM attempt") ?? 0
    }

    private func find(_ subject: String) throws -> (count: Int64, since: Instant)? {
        try sql.first("SELECT count, since FROM attempt WHERE subject = $1", subject) { ($0.next(), $0.next()) }
    }
}
