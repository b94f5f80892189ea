import CMosquitto
import Glibc

/// Wakes a client that waits in `receive`, from any thread: an `eventfd` that it polls together with its socket.
package final class Waker: Sendable {
    let descriptor: Int32

    /// - Throws: `MosquittoError` when the process has no descriptor left.
    package init() throws(MosquittoError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        guard descriptor >= 0 else {
            throw MosquittoError(.system, function: "eventfd", systemError: errno)
        }
    }

    deinit { close(descriptor) }

    /// Ends the present or the next wait; several calls before it count as one.
    package func wake() {
        // Fails only when 2^64 - 2 calls are pending, and then it is awake already.
        _ = eventfd_write(descriptor, 1)
    }

    /// Clears all wakes so far.
    func reset() {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor, &count)
    }
}
