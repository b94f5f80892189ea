import Glibc
import ServiceLifecycle
import Workers

/// A service that ends the process if the shutdown takes too long; acknowledged work isn't lost.
package struct ShutdownDeadline: Service {
    private let limit: Duration
    private let onBegin: @Sendable () -> Void
    private let onForce: @Sendable () -> Void

    /// Creates a deadline that ends the process when `limit` has passed since the shutdown began.
    ///
    /// `onBegin` is called when the shutdown begins. `onForce` is called before the process is ended at the deadline.
    package init(limit: Duration, onBegin: @escaping @Sendable () -> Void, onForce: @escaping @Sendable () -> Void) {
        (self.limit, self.onBegin, self.onForce) = (limit, onBegin, onForce)
    }

    /// Waits until the shutdown begins, then starts a thread that ends the process at the deadline.
    package func run() async throws {
        try await gracefulShutdown()
        onBegin()
        let (limit, onForce) = (limit, onForce)
        // A separate thread ends the process, because the task pool's threads can be blocked.
        PlainThread.detach {
            sleep(UInt32(clamping: limit.components.seconds))
            onForce()
            _exit(1)
        }
    }
}
