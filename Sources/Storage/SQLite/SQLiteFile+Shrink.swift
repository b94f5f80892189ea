import CSQLite
import SQLite

/// The shrinking of a file that contains many unused pages.
///
/// Freed pages stay in the file for later use. If there are very many freed pages, the last pages of the file are moved
/// to their places, a few at a time, and the file is truncated when the log is copied into it. For this purpose, the
/// file contains one page of pointers for about 400 other pages, which is updated when one of these pages is moved or
/// used for something else.
extension SQLiteFile {
    /// The size up to which a database can be rewritten as a whole within about a second, in bytes.
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

    /// Removes `pages` empty pages from the file; the disk gets the space back when the log is copied into the file.
    ///
    /// Shrinking stores nothing new, so the commit doesn't wait for the disk.
    func shrink(pages: Int) throws {
        try writeWithoutSync { sql in try sql.transaction { try sql.run("PRAGMA incremental_vacuum(\(pages))") } }
    }

    /// Rewrites a file of at most `limit` bytes that an older version made, so that it can be shrunk in steps from then
    /// on.
    ///
    /// Blocks all writers, and needs as much free disk space as the database occupies.
    ///
    /// - Returns: Whether the file can be shrunk in steps now.
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
                // The database works without the change; the service tries again the next time it starts.
                return
            }
        }
        return try fileSize().isShrinkable
    }
}
