package import Domain
import SQLite

/// A copy of an SQLite database in a separate file, as in a backup.
package struct DatabaseCopy: Sendable {
    /// The path of the copy's file.
    package let path: String

    /// Describes a copy that exists or is about to be made.
    package init(path: String) { self.path = path }

    /// The error thrown when a copy is damaged.
    package struct Damage: Error, CustomStringConvertible {
        /// The first fault that the engine found.
        package let description: String

        /// Creates an error from the engine's description of a fault.
        package init(_ description: String) { self.description = description }
    }

    /// The space that a copy leaves free on its disk, in bytes.
    package static let reserveBytes: Int64 = 64 << 20

    /// The amount that `advanceNumbers` adds to the numbers of commands and to the versions of statuses.
    ///
    /// The amount is enough for one change per second during the eleven days after the backup.
    static let numbersAhead = 1_000_000

    /// Checks all pages, indexes and references, and throws `Damage` or returns each table's row count.
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

    /// Raises the copy's command numbers and status versions, so that the copy can replace the original.
    ///
    /// Since the copy was made, the service has sent more commands and statuses. A device ignores a command unless its
    /// number is larger than the last command's number. An app ignores a status that has an older version.
    package func advanceNumbers() throws {
        try withDatabase { database in
            try database.transaction {
                for (table, column) in [("device", "lastCid"), ("status", "version")] {
                    try database.execute("UPDATE \(table) SET \(column) = \(column) + \(Self.numbersAhead)")
                }
            }
        }
    }

    /// Ends all sessions, and records that an operator ended them.
    package func endSessions(at now: Instant) throws {
        try withDatabase { database in
            try database.execute(
                "UPDATE session SET endedAt = \(now.milliseconds), endReason = 'operator' WHERE endedAt IS NULL"
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
        // The copy must be a single file, without a log beside it.
        try database.execute("PRAGMA journal_mode = DELETE")
        return try body(database)
    }
}

extension Store {
    /// Copies the last committed state into a new file, while workers continue to write.
    ///
    /// While the copy is made, the log can't be reused, so it grows with each write. `progress` gets the completed
    /// fraction, from 0 to 1, a few times per second. `progress` can throw an error to stop the copy.
    package func copy(to copy: DatabaseCopy, progress: (Double) throws -> Void) throws {
        guard let file else { throw Failure.cannotOpen(path: path, reason: "a database server makes its own copies") }
        let target = try SQLiteConnection(path: copy.path)
        // The copy is made in steps of 8 MiB in one reading transaction, so it shows a single state.
        try file.pool.read { try $0.copy(to: target, pages: 4096, progress: progress) }
    }
}
