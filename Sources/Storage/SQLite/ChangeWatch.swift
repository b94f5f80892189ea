import GRDB
import Synchronization

/// A watch that detects whether anything was committed since its last check, by this process or
/// another.
///
/// It keeps a separate connection to a file, and reads one number.
package final class ChangeWatch: Sendable {
    private let queue: DatabaseQueue?
    private let last = Mutex<Int64?>(nil)

    /// Watches a store.
    ///
    /// - Throws: The engine's error.
    package init(_ store: Store) throws {
        guard let file = store.file else {
            queue = nil
            return
        }
        var configuration = Configuration()
        configuration.readonly = true
        queue = try DatabaseQueue(path: file.path, configuration: configuration)
    }

    /// Returns whether there may be something new; always true for a database server.
    package func hasChanged() throws -> Bool {
        guard let queue else { return true }
        let version = try queue.read { try Int64.fetchOne($0, sql: "PRAGMA data_version") }
        return last.withLock { last in
            defer { last = version }
            return last != version
        }
    }
}
