import CSQLite
import SQLite

/// The maintenance of the database's files while workers write.
extension SQLiteFile {
    /// Copies the write-ahead log into the database file, as far as readers allow.
    func checkpoint() throws {
        try pool.write { try $0.checkpoint(.passive) }
    }

    /// Extends the write-ahead log for later commits, or returns false if nothing was added.
    ///
    /// - Throws: An error of the system or the engine. Trying again at once doesn't help.
    func lengthenLog() throws -> Bool {
        let log = LogFile(database: path, written: pagesWritten * Self.pageBytes)
        guard log.lacksPiece else { return false }
        let hasGrown = try pool.write { database in try SQL(database, key: key).transaction { try log.lengthen() } }
        if hasGrown { log.sync() }
        return hasGrown
    }

    /// Removes the remains of erased accounts, which are in the log and in unused parts of pages.
    ///
    /// Blocks all writers for about a second. Does nothing if no account was erased. Returns false if a reader or
    /// writer blocked the work too long. The caller must then try again later. If the database is larger than 64 MiB,
    /// only the indexes of tables with users' names are rewritten.
    func vacuumErased() throws -> Bool {
        guard let mark = try read({ try MetaTable(sql: $0, cache: nil).pendingVacuum() }) else { return true }
        try checkpoint()
        return try pool.write { database in
            try database.execute("PRAGMA busy_timeout = 1000")
            defer { try? database.execute("PRAGMA busy_timeout = 10000") }
            do {
                let sql = SQL(database, key: key)
                let pages = try sql.integer("PRAGMA page_count") ?? 0
                let isSmall = pages * (try sql.integer("PRAGMA page_size") ?? 0) <= 64 << 20
                try database.execute(isSmall ? "VACUUM" : "REINDEX account; REINDEX identity")
                try MetaTable(sql: sql, cache: nil).confirmVacuum(mark)
                try database.checkpoint(.truncate)
                return true
            } catch let error as SQLiteError where [SQLITE_BUSY, SQLITE_LOCKED].contains(error.primaryCode) {
                try MetaTable(sql: SQL(database, key: key), cache: nil).set("vacuumErased", to: mark)
                return false
            }
        }
    }
}
