package import Domain

/// The log of events, which programs outside the service read.
///
/// A transaction writes one row for devices' statuses (`bulk`), and one for other events. Rows are ordered by the
/// numbers of their transactions (`xid`). On PostgreSQL, transactions don't always commit in the order of these
/// numbers. Rows are therefore read only up to the oldest open transaction. On SQLite, which has one writer, all rows
/// have the same number.
package struct EventLogTable: TransactionTable {
    let transaction: Transaction

    /// The SQL expression for the transaction number of a new row.
    ///
    /// On PostgreSQL, this number is a stored base plus the transaction's id. On SQLite, it is the base. The base makes
    /// new numbers larger than the numbers of rows that come from another server or another file.
    private var number: String {
        let base = "coalesce((SELECT CAST(value AS BIGINT) FROM meta WHERE name = 'eventBase'), 0)"
        guard sql.hasOtherWriters else { return base }
        return "\(base) + CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT)"
    }

    /// The SQL condition that no open transaction can still add an earlier row.
    private var isSettled: String {
        guard sql.hasOtherWriters else { return "TRUE" }
        return """
            xid < coalesce((SELECT CAST(value AS BIGINT) FROM meta WHERE name = 'eventBase'), 0)
                + CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS BIGINT)
            """
    }

    /// Adds entries, in order.
    package func append(_ events: [LoggedEvent]) throws {
        for isBulk in [false, true] {
            let some = events.filter { $0.type.isBulk == isBulk }
            guard !some.isEmpty else { continue }
            try sql.run(
                """
                INSERT INTO eventLog (xid, seq, bulk, count, createdAt, messages)
                VALUES (\(number), $1, $2, $3, $4, $5)
                """,
                transaction.sequence.next(now),
                isBulk,
                some.count,
                now,
                EventRowCodec.encode(some)
            )
        }
    }

    // MARK: Reading

    /// The maximum number of rows that one call of `read` reads.
    private static let scannedMax = 2_000

    /// Passes the entries after a position to `body`, each with its position, until `body` returns false.
    ///
    /// Stops reading after about `bytesMax` bytes. Reads statuses only if `withBulk` is true.
    ///
    /// - Returns: The position after the last read entry, and whether more entries may follow.
    package func read(
        after cursor: EventCursor,
        withBulk: Bool,
        bytesMax: Int = 8 << 20,
        _ body: (LoggedEvent, EventCursor) throws -> Bool
    ) throws -> (end: EventCursor, isMore: Bool) {
        var (end, bytes, rows, isMore) = (cursor, 0, 0, false)
        let comparison = cursor.left > 0 ? ">=" : ">"
        try sql.scan(
            """
            SELECT xid, seq, count, CASE WHEN bulk <= $1 THEN messages END FROM eventLog
            WHERE (xid, seq) \(comparison) ($2, $3) AND \(isSettled) ORDER BY xid, seq LIMIT $4
            """,
            withBulk,
            cursor.xid,
            cursor.seq,
            Self.scannedMax
        ) { row in
            guard bytes < bytesMax else {
                isMore = true
                return false
            }
            let place = EventCursor(xid: row.next(), seq: row.next())
            let count = row.next(Int.self)
            let message = row.next([UInt8].self)
            (bytes, rows) = (bytes + message.count, rows + 1)
            for (index, event) in EventRowCodec.decode(message).enumerated() {
                let id = EventCursor(xid: place.xid, seq: place.seq, left: count - 1 - index)
                guard id > cursor, let event else { continue }
                guard try body(event, id) else {
                    isMore = true
                    return false
                }
                end = id
            }
            end = place
            return true
        }
        return (end, isMore || rows == Self.scannedMax)
    }

    /// Returns the position after all entries that can be read now.
    package func end() throws -> EventCursor { try place("\(isSettled) ORDER BY xid DESC, seq DESC") ?? deleted() }

    /// Returns the position after all entries that were written before a given moment.
    package func end(before moment: Instant) throws -> EventCursor {
        let first = try sql.first(
            "SELECT xid, seq FROM eventLog WHERE createdAt >= $1 AND \(isSettled) ORDER BY xid, seq LIMIT 1",
            moment
        ) { EventCursor(xid: $0.next(), seq: $0.next()) }
        guard let first else { return try end() }
        return try place("(xid, seq) < ($1, $2) ORDER BY xid DESC, seq DESC", first.xid, first.seq) ?? deleted()
    }

    /// Returns the time at which the first row after a position was written; nil if no row follows.
    ///
    /// Rows of statuses count only if `withBulk` is true.
    package func nextTime(after cursor: EventCursor, withBulk: Bool) throws -> Instant? {
        try sql.value(
            """
            SELECT createdAt FROM eventLog WHERE (xid, seq) > ($1, $2) AND bulk <= $3 AND \(isSettled)
            ORDER BY xid, seq LIMIT 1
            """,
            cursor.xid,
            cursor.seq,
            withBulk
        )
    }

    private func place<each Value: ColumnValue>(
        _ condition: String,
        _ values: repeat each Value
    ) throws -> EventCursor? {
        try sql.first("SELECT xid, seq FROM eventLog WHERE \(condition) LIMIT 1", repeat each values) {
            EventCursor(xid: $0.next(), seq: $0.next())
        }
    }

    // MARK: Retention

    private static func fact(_ isBulk: Bool) -> String { isBulk ? "eventsDeleted.bulk" : "eventsDeleted" }

    /// Returns the position up to which events of one kind have been deleted.
    ///
    /// If `isBulk` is true, the events are statuses. Otherwise, they are the other events. If none of them has been
    /// deleted, the result is the log's beginning.
    package func deleted(isBulk: Bool = false) throws -> EventCursor {
        try transaction.meta.value(Self.fact(isBulk)).flatMap { EventCursor($0) } ?? .start
    }

    /// Returns the total size of statuses or other events after `cursor`, and where reading ended.
    ///
    /// Reading ends after `limit` rows of any kind. Reading also ends at `bytesMax` bytes of the given kind. The result
    /// is nil if no rows follow `cursor`.
    package func weigh(
        after cursor: EventCursor,
        isBulk: Bool,
        limit: Int,
        bytesMax: Int64 = .max
    ) throws -> (end: EventCursor, bytes: Int64)? {
        var (end, bytes): (EventCursor?, Int64) = (nil, 0)
        // The limit also counts rows of the other kind. Otherwise, the query could read too many of those rows.
        try sql.scan(
            """
            SELECT xid, seq, CASE WHEN bulk = $1 THEN length(messages) ELSE 0 END FROM eventLog
            WHERE (xid, seq) > ($2, $3) AND \(isSettled) ORDER BY xid, seq LIMIT $4
            """,
            isBulk,
            cursor.xid,
            cursor.seq,
            limit
        ) { row in
            end = EventCursor(xid: row.next(), seq: row.next())
            bytes += row.next(Int64.self)
            return bytes < bytesMax
        }
        return end.map { ($0, bytes) }
    }

    /// Deletes up to `limit` old rows (statuses or other events), and returns how many.
    ///
    /// Old rows are at or before `cursor`, or were written before `moment`.
    package func delete(upTo cursor: EventCursor, before moment: Instant, isBulk: Bool, limit: Int) throws -> Int {
        // The query has a first and a last position. Otherwise, it would read all rows of the other kind.
        let (first, last) = (try deleted(isBulk: isBulk), max(cursor, try end(before: moment)))
        guard first < last else { return 0 }
        let rows = try sql.query(
            """
            SELECT xid, seq FROM eventLog
            WHERE (xid, seq) > ($1, $2) AND (xid, seq) <= ($3, $4) AND bulk = $5 AND \(isSettled)
            ORDER BY xid, seq LIMIT $6
            """,
            first.xid,
            first.seq,
            last.xid,
            last.seq,
            isBulk,
            limit
        ) { EventCursor(xid: $0.next(), seq: $0.next()) }
        guard let end = rows.last else { return 0 }
        try sql.run("DELETE FROM eventLog WHERE xid = $1 AND seq = $2", each: rows) { ($0.xid, $0.seq) }
        try transaction.meta.set(Self.fact(isBulk), to: end.text)
        return rows.count
    }

    /// Returns the positions of the rows that name a user (statuses name no user).
    package func places(naming uid: UserID) throws -> [EventCursor] {
        try sql.query(
            "SELECT xid, seq FROM eventLog WHERE bulk = 0 AND instr(messages, $1) > 0",
            Array(uid.text.utf8)
        ) { EventCursor(xid: $0.next(), seq: $0.next()) }
    }

    /// Removes entries that name an erased user, except `account.deleted`, which readers need.
    package func forget(_ uid: UserID, at places: some Sequence<EventCursor>) throws {
        for place in places {
            let row: [UInt8]? = try sql.value(
                "SELECT messages FROM eventLog WHERE xid = $1 AND seq = $2",
                place.xid,
                place.seq
            )
            guard let row else { continue }
            try sql.run(
                "UPDATE eventLog SET messages = $1 WHERE xid = $2 AND seq = $3",
                EventRowCodec.forgetting(uid, in: row),
                place.xid,
                place.seq
            )
        }
    }

    // MARK: Statuses

    private static let statusesUntil = "statusEventsUntil"

    /// Returns the time until which statuses are logged.
    ///
    /// The time is in the far future if a subscription wants statuses. Otherwise, it is the last time that was set for
    /// readers without a subscription, or nil if none was ever set.
    package func statusesWantedUntil() throws -> Instant? {
        if try transaction.eventSubscriptions.wantStatuses() { return Instant(milliseconds: .max) }
        return try transaction.meta.value(Self.statusesUntil).flatMap { Int64($0) }.map { Instant(milliseconds: $0) }
    }

    /// The maximum number of seconds for which statuses are logged after a read without a subscription.
    private static let leaseSeconds: Int64 = 240

    /// Turns the logging of statuses on for some minutes, for a reader without a subscription.
    package func keepStatuses() throws {
        if let until = try statusesWantedUntil(), until > now.adding(seconds: Self.leaseSeconds / 2) { return }
        try transaction.meta.set(Self.statusesUntil, to: "\(now.adding(seconds: Self.leaseSeconds).milliseconds)")
        try transaction.meta.raiseCatalogEpoch()
    }
}

extension Store {
    /// Makes the numbers of all later transactions larger than the numbers in the log.
    ///
    /// The log may come from another server or another file.
    func numberEventsBehind() throws {
        try engine.write { sql in
            try sql.transaction {
                let meta = MetaTable(sql: sql, cache: nil)
                let base = try meta.value("eventBase").flatMap { Int64($0) } ?? 0
                let rows = try sql.integer("SELECT xid FROM eventLog ORDER BY xid DESC LIMIT 1") ?? 0
                let deleted = try ["eventsDeleted", "eventsDeleted.bulk"].compactMap { name in
                    try meta.value(name).flatMap { EventCursor($0)?.xid }
                }
                let last = max(rows, deleted.max() ?? 0)
                let next =
                    sql.hasOtherWriters
                    ? try sql.integer("SELECT CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT)")
                    : 1
                if last >= base + (next ?? 0) { try meta.set("eventBase", to: "\(last + 1)") }
            }
        }
    }
}
