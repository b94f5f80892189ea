import CSQLite
import GRDB

extension SQLiteFile {
    /// Whether SQLite's journals of savepoints, one for each request, grow with their content, and
    /// SQLite doesn't count its memory.
    ///
    /// By default each journal takes 64 KiB at once. Only speed depends on it, so it is allowed to
    /// fail, for example if SQLite was in use before.
    static let isSparing = keep_memory_cheap() == SQLITE_OK

    static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { database in
            // Small pages, set before the first table: reports touch scattered pages, and every
            // touched page is copied whole into the log.
            try database.execute(sql: "PRAGMA page_size = \(pageBytes)")
            // Lets the file give back unused pages, a few at a time; in a file with content it
            // would be a write.
            if try Int.fetchOne(database, sql: "PRAGMA page_count") == 0 {
                try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            }
            // 16 MiB of pages for the working set; 80 MB of log between checkpoints.
            try database.execute(sql: "PRAGMA cache_size = -16384")
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 40000")
            // After a flood the log file shrinks to its usual length.
            try database.execute(sql: "PRAGMA journal_size_limit = \(LogFile.bytesMax)")
            // Deleted content is overwritten, so that no erased user is found in a free page.
            try database.execute(sql: "PRAGMA secure_delete = ON")
        }
        return configuration
    }

    /// Applies the settings on which durability depends, reads them back, and throws if one wasn't
    /// accepted.
    static func secure(_ database: Database) throws {
        try database.execute(sql: "PRAGMA synchronous = FULL")
        let wanted = [("journal_mode", "wal"), ("synchronous", "2"), ("foreign_keys", "1")]
        for (name, value) in wanted {
            let actual = try String.fetchOne(database, sql: "PRAGMA \(name)") ?? "unknown"
            guard actual == value else {
                throw Store.Failure.wrongSetting(name: name, value: actual, wanted: value)
            }
        }
    }

    /// Returns the current values of the settings on which durability depends, by name.
    func settings() throws -> [(name: String, value: String)] {
        try pool.writeWithoutTransaction { database in
            try ["journal_mode", "synchronous", "foreign_keys", "wal_autocheckpoint"].map { name in
                (name, try String.fetchOne(database, sql: "PRAGMA \(name)") ?? "unknown")
            }
        }
    }

    /// Returns whether a table exists.
    func hasTable(_ name: String) throws -> Bool { try pool.read { try $0.tableExists(name) } }
}
