/// The maintenance of what the engine keeps: of a file its log and size, of a database server next to nothing.
extension Store {
    /// The file, where there is one.
    var file: SQLiteFile? {
        guard case .sqlite(let file) = engine else { return nil }
        return file
    }

    /// Where the file is; empty without one.
    package var path: String { file?.path ?? "" }

    /// Pages that this process has written into the log since it opened the store.
    package var pagesWritten: Int { file?.pagesWritten ?? 0 }

    /// Returns the settings that durability rests on, as they are now, by name.
    package func settings() throws -> [(name: String, value: String)] {
        switch engine {
        case .sqlite(let file): try file.settings()
        case .postgres(let database): try database.settings()
        }
    }

    /// Copies the log into the database file, up to the oldest page that a reader still needs.
    package func checkpoint() throws { try file?.checkpoint() }

    /// Extends the log's file by a piece, ahead of the writes, towards the length at which commits overwrite
    /// old content; returns false where nothing was added.
    ///
    /// - Throws: What the system or the engine refused; trying again at once does not help.
    package func lengthenLog() throws -> Bool { try file?.lengthenLog() ?? false }

    /// Removes the remains of erased accounts from where deleting rows does not reach: from the log and from unused
    /// parts of pages.
    ///
    /// Blocks all writers for about a second, and does nothing when no account was erased. Returns false when a
    /// reader or writer was in the way for so long that it has to be tried again later.
    package func vacuumErased() throws -> Bool {
        switch engine {
        case .sqlite(let file): try file.vacuumErased()
        case .postgres(let database): try database.vacuumErased()
        }
    }

    /// The size of the file, by its pages.
    package struct FileSize: Sendable, Equatable {
        /// Bytes of all pages.
        package var bytes: Int64
        /// Bytes of pages that nothing is in.
        package var freeBytes: Int64
        /// Whether it can shrink in steps; not where an older version made it and it is large.
        package var isShrinkable: Bool
    }

    /// Returns the file's size.
    package func fileSize() throws -> FileSize {
        switch engine {
        case .sqlite(let file): try file.fileSize()
        case .postgres(let database):
            FileSize(bytes: try database.bytes(), freeBytes: 0, isShrinkable: false)
        }
    }

    /// Takes so many free pages out of the file; the disk has them back when the log is copied.
    ///
    /// It stores nothing new, so no commit waits for the disk.
    package func shrink(pages: Int) throws { try file?.shrink(pages: pages) }

    /// Rewrites a database of an older version, so that it can give room back from then on.
    ///
    /// Blocks all writers, and needs as much room again as the database has.
    /// - Returns: Whether it can give room back now.
    package func makeShrinkable() throws -> Bool { try file?.makeShrinkable() ?? true }
}
