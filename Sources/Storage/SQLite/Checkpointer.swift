import SQLite

/// A worker that copies the write-ahead log into the database file in the background, so that the writer seldom has to
/// do so.
///
/// The checkpointer has its own connection, and only one thread can use it. A passive checkpoint doesn't wait for
/// readers and writers, and they don't wait for it. When the log has grown long, the writer then has little left to
/// copy.
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
