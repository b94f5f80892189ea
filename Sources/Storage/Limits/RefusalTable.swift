package import Domain
import JSON
import Sodium

/// The gate's newest refusals; one row holds all similar refusals of one hour, for example from 10:00 to 11:00.
package struct RefusalTable: TransactionTable {
    let transaction: Transaction

    /// Adds refusals, and then prunes the table as `prune(keeping:since:)` does.
    package func add(_ refusals: [ClientRefusal], keeping max: Int, since oldest: Instant, at now: Instant) throws {
        try transaction.load.add(refusals.map { ($0.lastAt, $0.times) }, of: .refusals, at: now)
        try sql.run(
            """
            INSERT INTO refusal (likeness, reason, firstAt, lastAt, times, detail)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (likeness) DO UPDATE
            SET lastAt = excluded.lastAt, times = refusal.times + excluded.times
            """,
            each: refusals
        ) { refusal in
            (
                transaction.hash(refusal.likeness, boundTo: "refusal"), refusal.reason, refusal.firstAt, refusal.lastAt,
                refusal.times, transaction.key.seal(RefusalCodec.object(refusal).encoded())
            )
        }
        try prune(keeping: max, since: oldest)
    }

    /// Deletes refusals older than `oldest`, and then the oldest rows until at most `max` are left.
    package func prune(keeping max: Int, since oldest: Instant) throws {
        try sql.run("DELETE FROM refusal WHERE lastAt < $1", oldest)
        let rows = try sql.integer("SELECT count(*) FROM refusal") ?? 0
        guard rows > Int64(max) else { return }
        try sql.run(
            "DELETE FROM refusal WHERE id IN (SELECT id FROM refusal ORDER BY lastAt, id LIMIT $1)",
            rows - Int64(max)
        )
    }

    /// Returns at most `limit` of the newest refusals since a moment, ordered by time.
    package func page(since moment: Instant, limit: Int) throws -> [(id: Int64, refusal: ClientRefusal)] {
        try sql.query(
            """
            SELECT id, firstAt, lastAt, times, detail FROM refusal
            WHERE lastAt >= $1 ORDER BY lastAt DESC, id DESC LIMIT $2
            """,
            moment,
            limit
        ) { row -> (id: Int64, refusal: ClientRefusal)? in
            let (id, firstAt, lastAt) =
                (row.next(Int64.self), row.next(Instant.self), row.next(Instant.self))
            let times = row.next(Int64.self)
            guard let detail = transaction.key.open(row.next()), var refusal = RefusalCodec.decode(stored: detail)
            else { return nil }
            refusal.firstAt = firstAt
            refusal.lastAt = lastAt
            refusal.times = times
            return (id, refusal)
        }.compactMap(\.self).reversed()
    }

    /// Returns the number of rows.
    package func count() throws -> Int64 { try sql.integer("SELECT count(*) FROM refusal") ?? 0 }

    /// Returns each reason's number of refusals since a moment, the most frequent reason first.
    ///
    /// A row stands for several refusals. All of them count if the last one happened at or after the moment.
    package func counts(since moment: Instant) throws -> [(reason: String, times: Int64)] {
        try sql.query(
            """
            SELECT reason, CAST(sum(times) AS BIGINT) AS total FROM refusal
            WHERE lastAt >= $1 GROUP BY reason ORDER BY total DESC, reason
            """,
            moment
        ) { ($0.next(), $0.next()) }
    }
}
