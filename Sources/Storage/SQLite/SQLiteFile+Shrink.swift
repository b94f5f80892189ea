import CSQLite
import SQLite

/// The shrinking of a file that grew.
///
/// Freed pages stay in the file for later use. If there are very many, the last pages of the file are moved into them,
/// a few at a time, and the file is truncated when the log is copied. This takes one page of pointers for some 400
/// others, which is updated when a page changes its place or its use.
extension SQLiteFile {
    /// The size up to which a database is rewritten as a whole by default, in bytes: at most a second's work.
    static let smallBytes: Int64 = 64 << 20

    /// Returns the file's size.
    func fileSize() throws -> Store.FileSize {
        try pool.read { database in
            let sql = SQL(database, key: key)
            let page = try sql.integer("PRAGMA page_size") ?? 0
            return Store.FileSize(
                bytes: page * (try sql.integer("PRAGMA page_count") ?? 0),
                freeBytes: page * (try sql.integer("PRAGMA freelist_count") ?? 0),
                isShrinkable: try sql.integer("PRAGMA auto_vacuum") == 2
            )
        }
    }

    /// Removes `pages` free pages from the file; the disk gets the space back when the log is copied.
    ///
    /// It stores nothing new, so no commit waits for the disk.
    func shrink(pages: Int) throws {
        try writeWithoutSync { sql in try sql.transaction { try sql.run("PRAGMA incremental_vacuum(\(pages))") } }
    }

    /// Rewrites a database of an older version of at most `limit` bytes, so that it can give space back from then on.
    ///
    /// Blocks all writers, and needs as much free disk space as the database takes.
    ///
    /// - Returns: Whether it can give space back now.
    @discardableResult
    func makeShrinkable(upTo limit: Int64 = .max) throws -> Bool {
        let size = try fileSize()
        guard !size.isShrinkable else { return true }
        guard size.bytes <= limit else { return false }
        try pool.write { database in
            do {
                try database.execute("PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
            } catch let error as SQLiteError
                where [SQLITE_FULL, SQLITE_BUSY, SQLITE_LOCKED].contains(error.primaryCode)
            {
                // The database works unchanged; the next start tries again.
                return
            }
        }
        return try fileSize().isShrinkable
    }
}
