import Synchronization

/// Which parts of the service are ready, and why the others are not.
package final class Health: Sendable {
    private let parts = Mutex<[String: String?]>([:])

    /// Nothing is known yet.
    package init() {}

    /// Says that a part is ready.
    package func ready(_ part: String) {
        parts.withLock { $0[part] = .some(nil) }
    }

    /// Says that a part is not ready, and why, in words for an operator.
    package func notReady(_ part: String, because reason: String) {
        parts.withLock { $0[part] = reason }
    }

    /// The parts that are not ready, by name, with their reasons.
    package var problems: [(part: String, reason: String)] {
        parts.withLock { parts in
            parts.compactMap { part, reason in reason.map { (part, $0) } }
                .sorted { $0.0 < $1.0 }
        }
    }

    /// All parts and whether they are ready.
    package var all: [(part: String, reason: String?)] {
        parts.withLock { parts in parts.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 } }
    }
}
