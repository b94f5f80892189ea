import SQLite

/// A background worker that copies the write-ahead log into the database file, so that the writer seldom has to do so.
///
/// The checkpointer has its own connection, for one thread. A passive checkpoint doesn't wait for readers and writers,
/// and they don't wait for the checkpoint. If the log still becomes long, the writer copies the small part that the
/// checkpointer hasn't copied yet.
package final class Checkpointer {
    private let connection: SQLiteConnection

    /// Opens a connection to a database that the store has opened before.
    package init(path: String) throws {
        connection = try SQLiteConnection(path: path)
        try connection.execute("PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = FULL")
    }

    /// Copies the current content of the log into the database file; returns when the content is on the disk.
    package func run() throws {
        try connection.checkpoint(.passive)
    }
}
