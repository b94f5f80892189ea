/// The maintenance of an SQLite file's log and size.
///
/// With a database server, most of these functions do nothing.
extension Store {
    /// The store's SQLite file, or nil on a database server.
    var file: SQLiteFile? {
        guard case .sqlite(let file) = engine else { return nil }
        return file
    }

    /// The path of the SQLite file, or an empty string on a database server.
    package var path: String { file?.path ?? "" }

    /// How many pages this process has written into the file's write-ahead log.
    package var pagesWritten: Int { file?.pagesWritten ?? 0 }

    /// Returns the current values of the settings on which durability depends, by name.
    package func settings() throws -> [(name: String, value: String)] {
        switch engine {
        case .sqlite(let file): try file.settings()
        case .postgres(let database): try database.settings()
        }
    }

    /// Copies the write-ahead log into the database file, as far as readers allow.
    package func checkpoint() throws { try file?.checkpoint() }

    /// Extends the log with zeros, which later commits overwrite, and returns whether the log grew.
    ///
    /// - Throws: An error of the system or engine. Trying again at once doesn't help.
    package func lengthenLog() throws -> Bool { try file?.lengthenLog() ?? false }

    /// Removes traces of erased accounts from the log and from unused parts of pages.
    ///
    /// Blocks all writers for about a second. Does nothing if no account was erased. Returns false if another reader or
    /// writer blocked the work for too long. In that case, the caller must try again later.
    package func vacuumErased() throws -> Bool {
        switch engine {
        case .sqlite(let file): try file.vacuumErased()
        case .postgres(let database): try database.vacuumErased()
        }
    }

    /// The size of the database: the total size of its pages.
    package struct FileSize: Sendable, Equatable {
        /// The size of all pages, in bytes.
        package var bytes: Int64
        /// The size of the empty pages, in bytes.
        package var freeBytes: Int64
        /// Whether the store has a file that can shrink in steps; large files of older versions can't.
        package var isShrinkable: Bool
    }

    /// Returns the size of the database.
    package func fileSize() throws -> FileSize {
        switch engine {
        case .sqlite(let file): try file.fileSize()
        case .postgres(let database): FileSize(bytes: try database.bytes(), freeBytes: 0, isShrinkable: false)
        }
    }

    /// Removes at most `pages` empty pages; the disk gets the space back when the log is copied into the file.
    ///
    /// Shrinking stores nothing new, so the commit doesn't wait for the disk.
    package func shrink(pages: Int) throws { try file?.shrink(pages: pages) }

    /// Rewrites a database file that an older version created, and returns whether the file can now shrink in steps.
    ///
    /// Blocks all writers, and needs as much free disk space as the database occupies.
    package func makeShrinkable() throws -> Bool { try file?.makeShrinkable() ?? true }
}
