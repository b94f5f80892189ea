import Glibc
import ServiceLifecycle
import Workers

/// A service that ends the process if the shutdown takes too long.
///
/// Everything that was acknowledged is committed before the process is ended.
package struct ShutdownDeadline: Service {
    private let limit: Duration
    private let onBegin: @Sendable () -> Void
    private let onForce: @Sendable () -> Void

    /// Creates a deadline that is `limit` after the beginning of the shutdown, when `onBegin` is called.
    package init(limit: Duration, onBegin: @escaping @Sendable () -> Void, onForce: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.onBegin = onBegin
        self.onForce = onForce
    }

    /// Waits until the shutdown begins, then starts a thread that ends the process at the deadline.
    package func run() async throws {
        try await gracefulShutdown()
        onBegin()
        let (limit, onForce) = (limit, onForce)
        // The work is done by a thread and not by a task, because blocked threads of the task pool must not prevent the
        // exit.
        PlainThread.detach {
            sleep(UInt32(clamping: limit.components.seconds))
            onForce()
            _exit(1)
        }
    }
}
