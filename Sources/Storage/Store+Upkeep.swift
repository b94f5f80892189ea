import GRDB

/// What keeps the file in shape beside those who write.
extension Store {
    /// Copies the log into the database file as far as nobody reads older pages.
    package func checkpoint() throws {
        try pool.writeWithoutTransaction { database in
            _ = try database.checkpoint(.passive)
        }
    }

    /// Has the log's file grow by a piece, ahead of what is written, towards the length at which commits
    /// write over what is there; false where nothing was added.
    ///
    /// - Throws: What the system or the engine refused; it is no use to try again at once.
    package func lengthenLog() throws -> Bool {
        let log = LogFile(database: path, written: pagesWritten * Self.pageBytes)
        guard log.lacksPiece else { return false }
        let hasGrown = try pool.writeWithoutTransaction { database in
            try SQL(database).transaction { try log.lengthen() }
        }
        if hasGrown { log.sync() }
        return hasGrown
    }

    /// Whether people were erased whom `scrub` has not followed yet.
    package var owesScrub: Bool {
        get throws { try read { try $0.meta.owedScrub() } != nil }
    }

    /// Clears away what may be left of people who were erased: in the log, and in parts of pages that
    /// are unused since rows moved, which deleting them does not reach.
    ///
    /// Holds up all who write for about a second, and does nothing when nobody was erased. False when
    /// somebody was in the way for so long that it has to be tried again later. A database of more than
    /// 64 MiB is not written anew as a whole, only the indexes that have people's names in them.
    package func scrub() throws -> Bool {
        guard let mark = try read({ try $0.meta.owedScrub() }) else { return true }
        try checkpoint()
        return try pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA busy_timeout = 1000")
            defer { try? database.execute(sql: "PRAGMA busy_timeout = 10000") }
            do {
                let sql = SQL(database)
                let pages = try sql.integer("PRAGMA page_count") ?? 0
                let isSmall = pages * (try sql.integer("PRAGMA page_size") ?? 0) <= 64 << 20
                try database.execute(sql: isSmall ? "VACUUM" : "REINDEX account; REINDEX identity")
                try MetaTable(sql: sql, cache: nil).settle(scrub: mark)
                _ = try database.checkpoint(.truncate)
                return true
            } catch let error as DatabaseError
                where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode)
            {
                try MetaTable(sql: SQL(database), cache: nil).set("scrub", to: mark)
                return false
            }
        }
    }
}
