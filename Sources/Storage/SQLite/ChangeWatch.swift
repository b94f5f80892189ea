import SQLite
import Synchronization

/// A watch that detects whether anything was committed since its last check, by this process or another.
///
/// It keeps a separate connection to a file, and reads one number.
package final class ChangeWatch: Sendable {
    /// Nil for a database server.
    private let pool: SQLitePool?
    private let last = Mutex<Int64?>(nil)

    /// Watches a store.
    ///
    /// - Throws: The engine's error.
    package init(_ store: Store) throws {
        guard let file = store.file else {
            pool = nil
            return
        }
        pool = try SQLitePool(readersMax: 1) { try SQLiteConnection(path: file.path) }
    }

    /// Returns whether there may be something new; always true for a database server.
    package func hasChanged() throws -> Bool {
        guard let pool else { return true }
        let version = try pool.write { try $0.integer("PRAGMA data_version") }
        return last.withLock { last in
            defer { last = version }
            return last != version
        }
    }
}
