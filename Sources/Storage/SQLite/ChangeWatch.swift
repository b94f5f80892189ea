import SQLite
import Synchronization

/// Detects whether any process has committed anything since the last check.
///
/// The watch has a separate connection to the SQLite file, and reads only one number.
package final class ChangeWatch: Sendable {
    /// The watch's connection to the SQLite file, or nil for a database server.
    private let pool: SQLitePool?
    private let last = Mutex<Int64?>(nil)

    /// Starts to watch a store; throws an error of the engine.
    package init(_ store: Store) throws {
        guard let file = store.file else {
            pool = nil
            return
        }
        pool = try SQLitePool(readersMax: 1) { try SQLiteConnection(path: file.path) }
    }

    /// Returns whether there may be new commits (always true for a database server).
    package func hasChanged() throws -> Bool {
        guard let pool else { return true }
        let version = try pool.write { try $0.integer("PRAGMA data_version") }
        return last.withLock { last in
            defer { last = version }
            return last != version
        }
    }
}
