import GRDB

/// A file that grew gives back what it no longer needs.
///
/// Freed pages stay in the file, for later use. Where there are very many, the last pages of the file are moved
/// into them, a few at a time, and the file is truncated when the log is copied. That takes one page of
/// pointers for some 400 others, which is noted when a page changes its place or its use.
extension SQLiteFile {
    /// The size up to which a database is rewritten as a whole without being asked: at most a second's work.
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

    /// Takes so many free pages out of the file; the disk has them back when the log is copied.
    ///
    /// It stores nothing new, so no commit waits for the disk.
    func shrink(pages: Int) throws {
        try writeWithoutSync { sql in
            try sql.transaction { try sql.run("PRAGMA incremental_vacuum(\(pages))") }
        }
    }

    /// Rewrites a database of an older version, so that it can give room back from then on; one larger than
    /// `limit` bytes stays as it is.
    ///
    /// Blocks all writers, and needs as much room again as the database has.
    /// - Returns: Whether it can give room back now.
    @discardableResult
    func makeShrinkable(upTo limit: Int64 = .max) throws -> Bool {
        let size = try fileSize()
        guard !size.isShrinkable else { return true }
        guard size.bytes <= limit else { return false }
        try pool.writeWithoutTransaction { database in
            do {
                try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
            } catch let error as DatabaseError
                where [.SQLITE_FULL, .SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode)
            {
                // It works as it is; the next start tries again.
                return
            }
        }
        return try fileSize().isShrinkable
    }
}
