package import Domain

/// A message that was put aside because it will never become good.
package struct DeadLetter: Sendable {
    /// The row; later ones have larger ids.
    package var id: Int64
    /// Which worker put it aside.
    package var worker: String
    /// Where it was published.
    package var topic: String
    /// What it said, or what of it may be kept.
    package var payload: [UInt8]
    /// Whether only names and sizes were kept, since the values may be secret.
    package var isShapeOnly: Bool
    /// What was wrong with it.
    package var reason: String
    /// When.
    package var at: Instant
}

/// Messages that were put aside: the newest ones.
package struct DeadLetterTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }
    /// The name of the fact that says which id was given last.
    private static let lastID = "deadLetterLast"
    /// The name of the fact that says how many bytes all of them have.
    private static let bytes = "deadLetterBytes"
    /// What a row takes: its texts, and a little for the rest of it.
    private static let size = "length(payload) + length(topic) + length(reason) + 64"

    /// Puts messages aside and forgets the oldest beyond a number of rows and of bytes; gives the first row's id.
    ///
    /// The newest stays in any case.
    package func add(
        _ letters: [(topic: String, payload: [UInt8], isShapeOnly: Bool, reason: String)],
        worker: String,
        keeping max: Int,
        bytes bytesMax: Int = .max
    ) throws -> Int64 {
        let before = try total()
        let first = try last() + 1
        try sql.run(
            """
            INSERT INTO deadLetter (id, worker, topic, payload, shapeOnly, reason, at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """,
            each: letters.indices
        ) { binder, index in
            let letter = letters[index]
            binder.add(first + Int64(index))
            binder.add(worker)
            // Other engines refuse a NUL in texts, and a topic may hold anything.
            binder.add(letter.topic.filter { $0 != "\0" })
            binder.add(bytes: letter.payload)
            binder.add(letter.isShapeOnly)
            binder.add(letter.reason)
            binder.add(transaction.now.milliseconds)
        }
        let last = first + Int64(letters.count) - 1
        try transaction.meta.set(Self.lastID, to: "\(last)")
        var bytes = try before + size(of: first, through: last)
        bytes -= try forget(through: last - Int64(max))
        while bytes > Int64(bytesMax), let oldest = try oldest(beyond: bytes - Int64(bytesMax)) {
            bytes -= try forget(through: min(oldest, last - 1))
            if oldest >= last { break }
        }
        try transaction.meta.set(Self.bytes, to: "\(bytes)")
        return first
    }

    /// How many bytes the letters have, as it was noted, or counted where it never was.
    private func total() throws -> Int64 {
        let noted = try transaction.meta.value(Self.bytes)
        if let bytes = noted.flatMap({ Int64($0) }) { return bytes }
        return try size(of: 0, through: .max)
    }

    private func size(of first: Int64, through last: Int64) throws -> Int64 {
        try sql.integer("SELECT sum(\(Self.size)) FROM deadLetter WHERE id >= $1 AND id <= $2") {
            $0.add(first)
            $0.add(last)
        } ?? 0
    }

    /// Forgets the letters up to one; gives the bytes that they had.
    private func forget(through last: Int64) throws -> Int64 {
        let bytes = try size(of: 0, through: last)
        try sql.run("DELETE FROM deadLetter WHERE id <= $1") { $0.add(last) }
        return bytes
    }

    /// The letter up to which the oldest have so many bytes, looking at a hundred of them at most.
    private func oldest(beyond bytes: Int64) throws -> Int64? {
        var left = bytes
        var last: Int64?
        try sql.scan("SELECT id, \(Self.size) FROM deadLetter ORDER BY id LIMIT 100") { row in
            last = row.integer(0)
            left -= row.integer(1)
            return left > 0
        }
        return last
    }

    /// The highest id ever given: that of a letter dropped since names no other.
    private func last() throws -> Int64 {
        let noted = try transaction.meta.value(Self.lastID).flatMap { Int64($0) } ?? 0
        return max(noted, try sql.integer("SELECT max(id) FROM deadLetter") ?? 0)
    }

    /// Letters, newest first, older than a row.
    package func page(before id: Int64 = .max, limit: Int) throws -> [DeadLetter] {
        try sql.query(
            """
            SELECT id, worker, topic, payload, shapeOnly, reason, at FROM deadLetter
            WHERE id < $1 ORDER BY id DESC LIMIT $2
            """
        ) {
            $0.add(id)
            $0.add(limit)
        } row: {
            DeadLetter(
                id: $0.integer(0),
                worker: $0.text(1),
                topic: $0.text(2),
                payload: $0.bytes(3),
                isShapeOnly: $0.bool(4),
                reason: $0.text(5),
                at: Instant(milliseconds: $0.integer(6))
            )
        }
    }

    /// One letter, or nil.
    package func find(_ id: Int64) throws -> DeadLetter? {
        guard id < .max else { return nil }
        return try page(before: id + 1, limit: 1).first { $0.id == id }
    }

    /// Removes one letter; tells whether it was there.
    package func drop(_ id: Int64) throws -> Bool {
        let left = try total() - size(of: id, through: id)
        try transaction.meta.set(Self.bytes, to: "\(left)")
        try sql.run("DELETE FROM deadLetter WHERE id = $1") { $0.add(id) }
        return sql.changes > 0
    }

    /// Removes all letters; tells how many there were.
    package func dropAll() throws -> Int {
        try transaction.meta.set(Self.bytes, to: "0")
        try sql.run("DELETE FROM deadLetter")
        return sql.changes
    }

    /// How many letters there are.
    package func count() throws -> Int64 { try sql.integer("SELECT count(*) FROM deadLetter") ?? 0 }
}
