package import Domain

/// Rows whose retention time is over: the rows of one kind (`ExpiringRows`) or of one device.
package struct RetentionTable: TransactionTable {
    let transaction: Transaction

    /// Deletes at most `limit` old rows of each kind, and returns whether more may exist.
    ///
    /// The rows are events, ended commands, ended bindings without commands, and requests without an open command.
    package func prune(_ did: DeviceID, before moment: Instant, limit: Int) throws -> Bool {
        try transaction.requireLock(of: did)
        try sql.run(
            """
            DELETE FROM event WHERE (did, ts, seq) IN (
                SELECT did, ts, seq FROM event WHERE did = $1 AND ts < $2 ORDER BY ts LIMIT $3)
            """,
            did,
            moment,
            limit
        )
        var isMore = try sql.changes == limit
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
        isMore = try isMore || sql.changes == limit
        // A waiting request's number is roughly the time at which the request was stored, in microseconds since 1970.
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
        isMore = try isMore || sql.changes == limit
        try sql.run(
            """
            DELETE FROM formerBinding WHERE (uid, did) IN (
                SELECT uid, did FROM formerBinding WHERE \(Self.isOver) LIMIT $2)
            """,
            did,
            limit
        )
        return try isMore || sql.changes == limit
    }

    /// The condition for waiting requests that get no answer anymore, because their command isn't open.
    private static let isIdle = """
        NOT EXISTS (SELECT 1 FROM command AS c WHERE c.did = waiter.did AND c.cid = waiter.cid
            AND c.state IN ('queued', 'sent'))
        """

    /// The condition for ended bindings whose commands have all been deleted.
    ///
    /// The condition compares the numbers of commands and not their times, because a clock may have been set back.
    private static let isOver = """
        did = $1
            AND lastCid < coalesce((SELECT min(cid) FROM command WHERE did = $1), \(Int64.max))
        """

    /// Returns whether a device has rows that `prune` would delete for a given moment.
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
}
