import SQLite

/// A copier of the log into the database file, in the background, so that the writer seldom has to do it.
///
/// It has its own connection. A passive checkpoint neither waits for readers and writers nor makes them wait; it leaves
/// little for the writer when the log has grown long. Belongs to one thread.
package final class Checkpointer {
    private let connection: SQLiteConnection

    /// Opens a connection to a database that the store has opened before.
    package init(path: String) throws {
        connection = try SQLiteConnection(path: path)
        try connection.execute("PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = FULL")
    }

    /// Copies the current content of the log; blocks for as long as the disk takes.
    package func run() throws {
        try connection.checkpoint(.passive)
    }
}
