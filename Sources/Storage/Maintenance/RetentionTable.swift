package import Domain

/// Rows past their retention, and their backlog.
package struct RetentionTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }

    /// Forgets a device's events, ended commands and waiters older than a moment, and the ended bindings of
    /// which no command is left, at most `limit` of each; returns whether there may be more.
    package func prune(_ did: DeviceID, before moment: Instant, limit: Int) throws -> Bool {
        try sql.run(
            """
            DELETE FROM event WHERE (did, ts, seq) IN (
                SELECT did, ts, seq FROM event WHERE did = $1 AND ts < $2 ORDER BY ts LIMIT $3)
            """,
            did,
            moment,
            limit
        )
        var isMore = sql.changes == limit
        try transaction.devices.keepLastCommandID(did)
        try sql.run(
            """
            DELETE FROM command WHERE (did, cid) IN (
                SELECT did, cid FROM command
                WHERE did = $1 AND createdAt < $2 AND state NOT IN ('queued', 'sent')
                ORDER BY createdAt LIMIT $3)
            """,
            did,
            moment,
            limit
        )
        isMore = isMore || sql.changes == limit
        // The number of a waiter is the microsecond of its making.
        try sql.run(
            """
            DELETE FROM waiter WHERE (did, cid, seq) IN (
                SELECT did, cid, seq FROM waiter WHERE did = $1 AND seq < $2 AND \(Self.isIdle)
                LIMIT $3)
            """,
            did,
            moment.milliseconds * 1000,
            limit
        )
        isMore = isMore || sql.changes == limit
        try sql.run(
            """
            DELETE FROM formerBinding WHERE (uid, did) IN (
                SELECT uid, did FROM formerBinding WHERE \(Self.isOver) LIMIT $2)
            """,
            did,
            limit
        )
        return isMore || sql.changes == limit
    }

    /// Whether a waiter's command is no longer open; waiters for open commands still get their answer.
    private static let isIdle = """
        NOT EXISTS (SELECT 1 FROM command AS c WHERE c.did = waiter.did AND c.cid = waiter.cid
            AND c.state IN ('queued', 'sent'))
        """

    /// Whether an ended binding has outlived the commands of its time: by their numbers, since clocks are set.
    private static let isOver = """
        did = $1
            AND lastCid < coalesce((SELECT min(cid) FROM command WHERE did = $1), \(Int64.max))
        """

    /// Returns whether a device has events, commands or waiters older than a moment, or bindings that ended before
    /// all of its commands.
    package func isOlder(_ did: DeviceID, than moment: Instant) throws -> Bool {
        try sql.integer(
            """
            SELECT 1 FROM event WHERE did = $1 AND ts < $2
            UNION ALL SELECT 1 FROM command
                WHERE did = $1 AND createdAt < $2 AND state NOT IN ('queued', 'sent')
            UNION ALL SELECT 1 FROM formerBinding WHERE \(Self.isOver)
            UNION ALL SELECT 1 FROM waiter WHERE did = $1 AND seq < $3 AND \(Self.isIdle) LIMIT 1
            """,
            did,
            moment,
            moment.milliseconds * 1000
        ) != nil
    }

    /// Returns how many rows wait to be swept, by kind, counted up to `limit` each.
    ///
    /// `now` is given since a read has no moment of its own.
    package func backlog(
        at now: Instant,
        endedSessionSeconds: Int64,
        noticeSeconds: Int64,
        endedInvitationSeconds: Int64,
        requestSeconds: Int64,
        auditDays: Int,
        limit: Int
    ) throws -> [(kind: String, count: Int64)] {
        func count(
            _ kind: String,
            in table: String? = nil,
            _ condition: String,
            _ moment: Instant
        ) throws -> (
            kind: String, count: Int64
        ) {
            let number = try sql.integer(
                """
                SELECT count(*) FROM (SELECT 1 FROM \(table ?? kind) WHERE \(condition) LIMIT $2) AS waiting
                """,
                moment,
                limit
            )
            return (kind, number ?? 0)
        }
        return [
            try count("session", "endedAt < $1", now.adding(seconds: -endedSessionSeconds)),
            try count("notice", "at < $1", now.adding(seconds: -noticeSeconds)),
            try count("logoutCode", "expiresAt < $1", now),
            try count("cancellation", "deletesAt <= $1", now),
            try count("invitation", in: "sharing", "status = 'pending' AND expiresAt <= $1", now),
            try count("guest", in: "binding", "guestUntil IS NOT NULL AND guestUntil <= $1", now),
            try count(
                "endedInvitation",
                in: "sharing",
                "status IN ('rejected', 'expired', 'revoked') AND changedAt < $1",
                now.adding(seconds: -endedInvitationSeconds)
            ),
            try count("attempt", "until < $1", now),
            try count("code", "expiresAt < $1", now),
            try (
                "request",
                transaction.requests.count(
                    before: now.adding(seconds: -requestSeconds),
                    limit: limit
                )
            ),
            auditDays == 0
                ? ("audit", 0)
                : try count(
                    "audit",
                    "kind <> 'erased' AND id < 1000 * $1",
                    now.adding(seconds: -Int64(auditDays) * 86_400)
                ),
        ]
    }
}
