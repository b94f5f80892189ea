package import Domain

/// A message that is kept as a dead letter because no retry can succeed.
///
/// See the reference for the rules (reference: operation#dead-letters).
package struct DeadLetter: Sendable {
    /// The row's id; later letters have larger ids.
    package var id: Int64
    /// The name of the worker that stored the message.
    package var worker: String
    /// The topic to which the message was published.
    package var topic: String
    /// The message's payload, or the part of it that can be kept.
    package var payload: [UInt8]
    /// Whether only the names and sizes of the payload's values were kept, for secrecy.
    package var isShapeOnly: Bool
    /// The reason why no retry can succeed.
    package var reason: String
    /// When the message was stored.
    package var at: Instant
}

/// The newest dead letters.
package struct DeadLetterTable: TransactionTable {
    let transaction: Transaction

    /// Adds dead letters, deletes the oldest so that about `max` are left, and returns the new ids, ascending.
    ///
    /// The database never gives a deleted letter's id to another letter.
    package func add(
        _ letters: [(topic: String, payload: [UInt8], isShapeOnly: Bool, reason: String)],
        worker: String,
        keeping max: Int
    ) throws -> [Int64] {
        var ids: [Int64] = []
        try sql.query(
            """
            INSERT INTO deadLetter (worker, topic, payload, shapeOnly, reason, at)
            VALUES ($1, $2, $3, $4, $5, $6) RETURNING id
            """,
            each: letters
        ) { letter in
            (
                worker,
                // PostgreSQL doesn't accept the NUL character in strings, but a topic can contain any character.
                letter.topic.filter { $0 != "\0" },
                letter.payload,
                letter.isShapeOnly,
                letter.reason,
                now
            )
        } row: {
            ids.append($1.next())
        }
        if let last = ids.last { try drop(upTo: last - Int64(max)) }
        return ids
    }

    /// Returns dead letters with ids below `id`, the newest first.
    package func page(before id: Int64 = .max, limit: Int) throws -> [DeadLetter] {
        try sql.rows(of: DeadLetter.table, "WHERE id < $1 ORDER BY id DESC LIMIT $2", id, limit)
    }

    /// Returns dead letters with ids above `id`, the oldest first.
    package func page(after id: Int64, limit: Int) throws -> [DeadLetter] {
        try sql.rows(of: DeadLetter.table, "WHERE id > $1 ORDER BY id LIMIT $2", id, limit)
    }

    /// Returns the number of dead letters since a moment for each reason, the most frequent reason first.
    package func counts(since moment: Instant) throws -> [(reason: String, count: Int64)] {
        try sql.query(
            """
            SELECT reason, count(*) AS total FROM deadLetter
            WHERE at >= $1 GROUP BY reason ORDER BY total DESC, reason
            """,
            moment
        ) { ($0.next(), $0.next()) }
    }

    /// Returns one dead letter, or nil if it doesn't exist.
    package func find(_ id: Int64) throws -> DeadLetter? {
        guard id < .max else { return nil }
        return try page(before: id + 1, limit: 1).first { $0.id == id }
    }

    /// Deletes one dead letter; returns whether it existed.
    package func drop(_ id: Int64) throws -> Bool {
        try sql.rowsChanged("DELETE FROM deadLetter WHERE id = $1", id) > 0
    }

    /// Returns the newest dead letter's id, or 0 if there are no dead letters.
    package func newest() throws -> Int64 {
        try sql.integer("SELECT max(id) FROM deadLetter") ?? 0
    }

    /// Returns the id of the newest dead letter that no longer fits into `max` bytes, or nil if all letters fit.
    ///
    /// The bytes of payloads and the characters of topics are added up, beginning with the newest letter.
    package func firstTooMany(bytes max: Int) throws -> Int64? {
        var left = max
        let sizes = try sql.query("SELECT id, length(payload) + length(topic) FROM deadLetter ORDER BY id DESC") {
            (id: $0.next(Int64.self), bytes: $0.next(Int.self))
        }
        for (id, bytes) in sizes {
            left -= bytes
            if left < 0 { return id }
        }
        return nil
    }

    /// Deletes a dead letter and all older ones.
    package func drop(upTo id: Int64) throws { try sql.run("DELETE FROM deadLetter WHERE id <= $1", id) }

    /// Deletes dead letters that name a user, or whose topic names a terminal of one of the user's stored sessions.
    ///
    /// Reads all dead letters, whose number is limited.
    func forget(_ uid: UserID) throws {
        try sql.run(
            """
            DELETE FROM deadLetter WHERE instr(topic, $1) > 0 OR instr(payload, $2) > 0
                OR EXISTS (SELECT 1 FROM session AS s
                    WHERE s.uid = $1 AND instr(deadLetter.topic, s.terminalId) > 0)
            """,
            uid,
            Array(uid.text.utf8)
        )
    }

    /// Deletes all dead letters; returns the number deleted.
    package func dropAll() throws -> Int {
        try sql.rowsChanged("DELETE FROM deadLetter")
    }

    /// Returns the number of dead letters.
    package func count() throws -> Int64 { try sql.integer("SELECT count(*) FROM deadLetter") ?? 0 }
}

extension DeadLetter: TableRow {
    package static let table = Table<DeadLetter>("deadLetter")

    package static func map(_ column: inout ColumnMapper<DeadLetter>) -> DeadLetter {
        DeadLetter(
            id: column("id", \.id, as: .key),
            worker: column("worker", \.worker),
            topic: column("topic", \.topic),
            payload: column("payload", \.payload),
            isShapeOnly: column("shapeOnly", \.isShapeOnly),
            reason: column("reason", \.reason),
            at: column("at", \.at)
        )
    }
}
