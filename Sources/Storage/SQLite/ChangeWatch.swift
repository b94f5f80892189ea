import GRDB
import Synchronization

/// Tells whether anything was committed since it was asked last, by this process or another.
///
/// It has a connection of its own to a file, for as long as it lives, and asks for one number.
package final class ChangeWatch: Sendable {
    private let queue: DatabaseQueue?
    private let last = Mutex<Int64?>(nil)

    /// Watches a store.
    ///
    /// - Throws: What the engine refused.
    package init(_ store: Store) throws {
        guard let file = store.file else {
            queue = nil
            return
        }
        var configuration = Configuration()
        configuration.readonly = true
        queue = try DatabaseQueue(path: file.path, configuration: configuration)
    }

    /// Returns whether there may be something new; of a database server that is always so.
    package func hasChanged() throws -> Bool {
        guard let queue else { return true }
        let version = try queue.read { try Int64.fetchOne($0, sql: "PRAGMA data_version") }
        return last.withLock { last in
            defer { last = version }
            return last != version
        }
    }
}
