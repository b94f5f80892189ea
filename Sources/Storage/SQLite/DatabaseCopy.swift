package import Domain
import SQLite

/// A copy of a database in a separate file, as in backups.
package struct DatabaseCopy: Sendable {
    /// Its file.
    package let path: String

    /// Creates a reference to a copy that exists or is about to be made.
    package init(path: String) { self.path = path }

    /// The error that a copy is damaged.
    package struct Damage: Error, CustomStringConvertible {
        /// The engine's first finding.
        package let description: String

        /// Creates an error from a finding.
        package init(_ description: String) { self.description = description }
    }

    /// The space that a copy leaves free on its disk, in bytes.
    package static let reserveBytes: Int64 = 64 << 20

    /// The increase of the numbers that receivers compare: more than are used between the backup and its restoration,
    /// at one a second for eleven days.
    static let numbersAhead = 1_000_000

    /// Checks each page, index and reference, and returns the number of rows of each table.
    ///
    /// - Throws: `Damage`, or the engine's failure.
    package func check() throws -> [(table: String, rows: Int)] {
        try withDatabase { database in
            if let fault = try database.text("PRAGMA integrity_check(1)"), fault != "ok" { throw Damage(fault) }
            guard try database.integer("SELECT count(*) FROM pragma_foreign_key_check") == 0 else {
                throw Damage("a row refers to a missing row")
            }
            return try Self.tables(database).map { table in
                (table, Int(try database.integer("SELECT count(*) FROM \(table)")))
            }
        }
    }

    /// Raises the numbers that receivers compare, before the copy is used in place of its original.
    ///
    /// Commands and statuses went out after the copy was made: a device ignores a command whose number is not larger
    /// than its last one, and an app a status of an older version.
    package func advanceNumbers() throws {
        try withDatabase { database in
            try database.transaction {
                for (table, column) in [("device", "lastCid"), ("status", "version")] {
                    try database.execute("UPDATE \(table) SET \(column) = \(column) + \(Self.numbersAhead)")
                }
            }
        }
    }

    /// Ends all sessions, as an operator would.
    package func endSessions(at now: Instant) throws {
        try withDatabase { database in
            try database.execute(
                """
                UPDATE session SET endedAt = \(now.milliseconds), endReason = 'operator'
                WHERE endedAt IS NULL
                """
            )
        }
    }

    private static func tables(_ database: SQLiteConnection) throws -> [String] {
        try database.texts(
            """
            SELECT name FROM sqlite_schema
            WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'grdb_%'
            ORDER BY name
            """
        ).compactMap(\.self)
    }

    func withDatabase<Value>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
        let database = try SQLiteConnection(path: path)
        // One file: nothing of the copy may be left beside it.
        try database.execute("PRAGMA journal_mode = DELETE")
        return try body(database)
    }
}

extension Store {
    /// Copies the last committed state into a new file; workers go on meanwhile.
    ///
    /// The log can't be reused while the copy is made, so it grows with each write. `progress` gets the completed part,
    /// from 0 to 1, a few times a second, and can throw to stop.
    package func copy(to copy: DatabaseCopy, progress: (Double) throws -> Void) throws {
        guard let file else { throw Failure.cannotOpen(path: path, reason: "a database server makes its own copies") }
        let target = try SQLiteConnection(path: copy.path)
        // 8 MiB at a time, from one state: within one reading transaction.
        try file.pool.read { try $0.copy(to: target, pages: 4096, progress: progress) }
    }
}
