import SQLite

/// A worker that copies the write-ahead log in the background, to relieve the writer.
///
/// The checkpointer has its own connection, which only its thread uses. A passive checkpoint doesn't wait for readers
/// and writers, and they don't wait for the checkpoint. If the log still becomes long, the writer copies the small part
/// that hasn't been copied yet.
package final class Checkpointer {
    private let connection: SQLiteConnection

    /// Opens a connection to a database that the store has opened before.
    package init(path: String) throws {
        connection = try SQLiteConnection(path: path)
        try connection.execute("PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = FULL")
    }

    /// Copies the log's content into the database file, and returns when it is on disk.
    package func run() throws {
        try connection.checkpoint(.passive)
    }
}
