import SQLite

extension SQLiteFile {
    /// Opens a connection to a database file, with the service's settings.
    static func connect(to path: String) throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, busySeconds: 10)
        // Devices' reports change pages all over the file, and the log gets each changed page as a whole. Small pages
        // therefore keep the log short. The size must be set before the first table is created.
        try connection.execute("PRAGMA page_size = \(pageBytes)")
        // With `auto_vacuum`, the file can give back unused pages, a few at a time. In a file with content, changing
        // this setting would write to the file.
        if try connection.integer("PRAGMA page_count") == 0 {
            try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        }
        try connection.execute(
            """
            -- 16 MiB of pages for the working set; 80 MB of log between checkpoints.
            PRAGMA cache_size = -16384;
            PRAGMA wal_autocheckpoint = 40000;
            -- After a flood the log file shrinks to its usual length.
            PRAGMA journal_size_limit = \(LogFile.bytesMax);
            -- Deleted content is overwritten, so that no erased user is found in a free page.
            PRAGMA secure_delete = ON;
            """
        )
        return connection
    }

    /// Applies the settings for durability, and throws an error if one isn't accepted.
    static func secure(_ database: SQLiteConnection) throws {
        try database.execute("PRAGMA synchronous = FULL")
        let wanted = [("journal_mode", "wal"), ("synchronous", "2"), ("foreign_keys", "1")]
        for (name, value) in wanted {
            let actual = try database.text("PRAGMA \(name)") ?? "unknown"
            guard actual == value else { throw Store.Failure.wrongSetting(name: name, value: actual, wanted: value) }
        }
    }

    /// Returns the names and the current values of the settings on which durability depends.
    func settings() throws -> [(name: String, value: String)] {
        try pool.write { database in
            try ["journal_mode", "synchronous", "foreign_keys", "wal_autocheckpoint"].map { name in
                (name, try database.text("PRAGMA \(name)") ?? "unknown")
            }
        }
    }

    /// Returns whether a table exists.
    func hasTable(_ name: String) throws -> Bool { try pool.read { try $0.hasTable(name) } }
}
