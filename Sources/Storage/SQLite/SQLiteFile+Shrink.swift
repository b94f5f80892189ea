import CSQLite
import SQLite

/// The shrinking of a file that contains many unused pages.
///
/// Freed pages stay in the file for later use. If very many pages are free, the last pages are gradually moved into
/// them. The file is truncated when the log is copied into it. For the moves, the file contains pages of pointers: one
/// for about every 400 other pages. When one of these 400 pages is moved or reused, its page of pointers is updated.
extension SQLiteFile {
    /// The largest database, in bytes, that can be rewritten within about a second.
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

    /// Removes at most `pages` empty pages; the disk gets the space back at a later checkpoint.
    ///
    /// Shrinking stores nothing new, so the commit doesn't wait for the disk.
    func shrink(pages: Int) throws {
        try writeWithoutSync { sql in try sql.transaction { try sql.run("PRAGMA incremental_vacuum(\(pages))") } }
    }

    /// Makes an older version's file shrinkable if the file has at most `limit` bytes.
    ///
    /// Returns whether the file can shrink now.
    ///
    /// The conversion rewrites the file. It blocks all writers, and needs as much free disk space as the database
    /// occupies.
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
                // The database works without this change. The service tries again at its next start.
                return
            }
        }
        return try fileSize().isShrinkable
    }
}
