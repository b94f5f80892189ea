import Glibc
import ServiceLifecycle
import Workers

/// A service that ends the process when the drain takes too long: everything that was acknowledged is committed by
/// then.
package struct ShutdownDeadline: Service {
    private let limit: Duration
    private let onBegin: @Sendable () -> Void
    private let onForce: @Sendable () -> Void

    /// Creates a deadline that counts from the beginning of the shutdown, when `onBegin` is called.
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
        // A thread, not a task: a blocked pool must not block the exit.
        PlainThread.detach {
            sleep(UInt32(clamping: limit.components.seconds))
            onForce()
            _exit(1)
        }
    }
}
