/// The maintenance of the engine's storage: a file's log and size; a database server needs almost none.
extension Store {
    /// The file, if any.
    var file: SQLiteFile? {
        guard case .sqlite(let file) = engine else { return nil }
        return file
    }

    /// The file's path; empty without a file.
    package var path: String { file?.path ?? "" }

    /// The number of pages that this process has written into the log since it opened the store.
    package var pagesWritten: Int { file?.pagesWritten ?? 0 }

    /// Returns the current values of the settings on which durability depends, by name.
    package func settings() throws -> [(name: String, value: String)] {
        switch engine {
        case .sqlite(let file): try file.settings()
        case .postgres(let database): try database.settings()
        }
    }

    /// Copies the log into the database file, up to the oldest page that a reader still needs.
    package func checkpoint() throws { try file?.checkpoint() }

    /// Extends the log file by a piece, ahead of the writes, towards the length at which commits overwrite old content;
    /// returns false if nothing was added.
    ///
    /// - Throws: The system's or the engine's error; trying again at once doesn't help.
    package func lengthenLog() throws -> Bool { try file?.lengthenLog() ?? false }

    /// Removes the remains of erased accounts that deleting rows leaves in the log and in unused parts of pages.
    ///
    /// Blocks all writers for about a second, and does nothing if no account was erased. Returns false if a reader or
    /// writer was in the way for too long, and it must be tried again later.
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
        /// Bytes of empty pages.
        package var freeBytes: Int64
        /// Whether it can shrink in steps; false for a large file made by an older version.
        package var isShrinkable: Bool
    }

    /// Returns the file's size.
    package func fileSize() throws -> FileSize {
        switch engine {
        case .sqlite(let file): try file.fileSize()
        case .postgres(let database): FileSize(bytes: try database.bytes(), freeBytes: 0, isShrinkable: false)
        }
    }

    /// Removes `pages` free pages from the file; the disk gets the space back when the log is copied.
    ///
    /// It stores nothing new, so no commit waits for the disk.
    package func shrink(pages: Int) throws { try file?.shrink(pages: pages) }

    /// Rewrites a database of an older version, so that it can give space back from then on.
    ///
    /// Blocks all writers, and needs as much free disk space as the database takes.
    ///
    /// - Returns: Whether it can give space back now.
    package func makeShrinkable() throws -> Bool { try file?.makeShrinkable() ?? true }
}
