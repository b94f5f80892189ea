package import Batching
package import Domain
import Sodium

/// The ids of requests that took effect, with the answers for repeated requests.
///
/// See the reference for the rules (reference: requests#id).
package struct RequestTable: TransactionTable {
    let transaction: Transaction

    /// The record of an earlier request.
    package struct Known: Sendable {
        /// A digest of the request's content.
        package var content: [UInt8]
        /// The answer, or nil while the request waits for a command's outcome.
        ///
        /// The answer is also nil if the request's method only reads. A repeat of such a request is carried out again.
        package var answer: [UInt8]?
        /// The command whose outcome the request waits for.
        package var waitsFor: (did: DeviceID, cid: Int64)?
        /// How many copies of the request the worker must still refuse; nil if none was refused in its absence.
        ///
        /// The broker keeps each copy of the request for the absent worker. When the worker returns, it receives these
        /// copies, and must refuse them too.
        package var turnedAway: Int64?
        /// When the request was received.
        package var at: Instant
    }

    /// Returns the record of a sender's request id, or nil for an unknown id.
    package func find(_ sender: String, _ id: MessageID) throws -> Known? {
        try sql.find(RequestRow.table, sender, id).map { row in
            Known(
                content: row.content,
                answer: row.isSealed ? row.answer.flatMap(transaction.key.open) : row.answer,
                waitsFor: row.did.map { (did: $0, cid: row.cid ?? 0) },
                turnedAway: row.turnedAway,
                at: row.at
            )
        }
    }

    /// Stores the digest of a request's content, and the answer (encrypted if it contains a secret).
    package func save(
        _ sender: String,
        _ id: MessageID,
        content: [UInt8],
        answer: [UInt8]?,
        isSecret: Bool,
        waitsFor: (did: DeviceID, cid: Int64)? = nil
    ) throws {
        let row = RequestRow(
            sender: sender,
            id: id,
            content: content,
            answer: isSecret ? answer.map(transaction.key.seal) : answer,
            isSealed: isSecret,
            did: waitsFor?.did,
            cid: waitsFor?.cid,
            at: now
        )
        try sql.run(RequestRow.table.upsert, row)
        guard try sql.changes == 0 else { return }
        // The request already has a row. Rows are in the order of their times, so a new row at the end replaces it.
        try sql.run("DELETE FROM request WHERE sender = $1 AND id = $2", sender, id)
        try sql.run(RequestRow.table.upsert, row)
    }

    /// Stores the refusal of a request whose worker is absent, or returns false if an earlier record must stay.
    ///
    /// An earlier record of the request must stay if the record has an answer or waits for a command. Otherwise, the
    /// refusal replaces the record.
    package func keepRefusal(_ sender: String, _ id: MessageID, content: [UInt8], answer: [UInt8]) throws -> Bool {
        let row = RequestRow(
            sender: sender,
            id: id,
            content: content,
            answer: answer,
            isSealed: false,
            at: now,
            turnedAway: 1
        )
        // An earlier record without an answer must not stay. Otherwise, the worker would carry out the refused request
        // once it is back.
        try sql.run(
            """
            DELETE FROM request WHERE sender = $1 AND id = $2
                AND answer IS NULL AND did IS NULL AND turnedAway IS NULL
            """,
            sender,
            id
        )
        try sql.run(RequestRow.table.upsert, row)
        return try sql.changes == 1
    }

    /// Stores how many copies of a refused request the worker must still refuse (0 deletes the record).
    package func refuseForAbsentWorker(_ sender: String, _ id: MessageID, times: Int64) throws {
        guard times > 0 else {
            return try sql.run(
                "DELETE FROM request WHERE sender = $1 AND id = $2 AND turnedAway IS NOT NULL",
                sender,
                id
            )
        }
        try sql.run("UPDATE request SET turnedAway = $1 WHERE sender = $2 AND id = $3", times, sender, id)
    }

    /// Deletes the records of some shards' requests that were refused because the worker was absent.
    ///
    /// The records are no longer needed when the broker holds none of these requests.
    package func forgetTurnedAway(of shards: Shards = .all) throws {
        guard shards.areAll else {
            return try sql.run(
                """
                DELETE FROM request
                WHERE turnedAway IS NOT NULL AND instr($1, substr(sender, length(sender) - 1)) > 0
                """,
                shards.names
            )
        }
        try sql.run("DELETE FROM request WHERE turnedAway IS NOT NULL")
    }

    /// Stores the answer to a request that waited for a command, unless another request now has the id.
    ///
    /// The row gets a new number, so that numbers follow the order of times.
    package func complete(
        _ sender: String,
        _ id: MessageID,
        waitsFor command: (did: DeviceID, cid: Int64),
        answer: [UInt8]
    ) throws {
        try sql.run(
            """
            UPDATE request SET answer = $1, did = NULL, cid = NULL, at = $2,
                seq = \(sql.nextNumber(of: "request", "seq"))
            WHERE sender = $3 AND id = $4 AND did = $5 AND cid = $6
            """,
            answer,
            now,
            sender,
            id,
            command.did,
            command.cid
        )
    }

    /// Deletes at most `limit` requests received outside a period, and returns their number.
    ///
    /// Rows are in the order of arrival. So all rows that come before an old row are even older. They are deleted too,
    /// whatever their stored times. If a row's time is after the period, the clock has been set back since then.
    func deleteOldest(outside kept: ClosedRange<Instant>, limit: Int) throws -> Int {
        try sql.rowsChanged(
            """
            DELETE FROM request WHERE seq <= (
                SELECT max(seq) FROM (SELECT seq, at FROM request ORDER BY seq LIMIT $1) AS oldest
                WHERE at < $2 OR at > $3)
            """,
            limit,
            kept.lowerBound,
            kept.upperBound
        )
    }

    /// Returns whether there are more than `max` rows, judged by the first and the last row's numbers.
    ///
    /// Rows are numbered in the order of arrival, and the oldest ones are deleted first.
    package func excess(over max: Int) throws -> Bool {
        let first = try sql.integer("SELECT min(seq) FROM request") ?? 0
        let last = try sql.integer("SELECT max(seq) FROM request") ?? 0
        return last - first + 1 > Int64(max)
    }

    /// Deletes at most `limit` of the oldest rows, until `max` rows are left.
    package func trim(to max: Int, limit: Int) throws {
        try sql.run(
            """
            DELETE FROM request WHERE seq IN (
                SELECT seq FROM request WHERE seq <= (SELECT max(seq) FROM request) - $1
                ORDER BY seq LIMIT $2)
            """,
            max,
            limit
        )
    }

    /// Returns the oldest and the newest row's number, or nil for an empty table.
    package func ends() throws -> ClosedRange<Int64>? {
        guard let first = try sql.integer("SELECT min(seq) FROM request"),
            let last = try sql.integer("SELECT max(seq) FROM request")
        else { return nil }
        return first...last
    }

    /// Some consecutive rows, and their size.
    package struct Page: Sendable {
        /// The number of the last row.
        package var last: Int64
        /// The number of rows.
        package var rows: Int
        /// The size of the rows' contents, in bytes.
        package var bytes: Int64
    }

    /// Adds up the sizes of at most `limit` rows after `seq`, or returns nil if there are no such rows.
    package func weigh(after seq: Int64, limit: Int) throws -> Page? {
        try sql.first(
            """
            SELECT max(seq), count(*), CAST(sum(bytes) AS BIGINT) FROM (
                SELECT seq, length(sender) + length(id) + length(content)
                    + coalesce(length(answer), 0) AS bytes
                FROM request WHERE seq > $1 ORDER BY seq LIMIT $2) AS page
            """,
            seq,
            limit
        ) { row in
            let last = row.next(Int64?.self)
            let (rows, bytes) = (row.next(Int.self), row.next(Int64.self))
            return last.map { Page(last: $0, rows: rows, bytes: bytes) }
        } ?? nil
    }

    /// Deletes a row and all rows before it, whatever their age.
    package func drop(upTo seq: Int64) throws { try sql.run("DELETE FROM request WHERE seq <= $1", seq) }

    /// Counts the requests received before a moment, but at most `limit`.
    ///
    /// The count ends at the first row whose time is `before` or later. This row isn't counted.
    func count(before: Instant, limit: Int) throws -> Int64 {
        try sql.integer(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM request WHERE seq < coalesce(
                    (SELECT seq FROM request WHERE at >= $1 ORDER BY seq LIMIT 1), \(Int64.max))
                LIMIT $2) AS waiting
            """,
            before,
            limit
        ) ?? 0
    }
}

/// A stored request, numbered by the engine in the order of arrival.
struct RequestRow: TableRow {
    var sender: String
    var id: MessageID
    var content: [UInt8]
    /// The answer, which is encrypted if it contains a secret.
    var answer: [UInt8]?
    var isSealed: Bool
    /// The device of the command whose outcome the request waits for.
    var did: DeviceID?
    /// The number of that command.
    var cid: Int64?
    var at: Instant
    var turnedAway: Int64?

    static let table = Table<RequestRow>("request")

    static func map(_ column: inout ColumnMapper<RequestRow>) -> RequestRow {
        RequestRow(
            sender: column("sender", \.sender, as: .key),
            id: column("id", \.id, as: .key),
            content: column("content", \.content),
            answer: column("answer", \.answer),
            isSealed: column("sealed", \.isSealed),
            did: column("did", \.did),
            cid: column("cid", \.cid),
            at: column("at", \.at),
            turnedAway: column("turnedAway", \.turnedAway)
        )
    }
}
