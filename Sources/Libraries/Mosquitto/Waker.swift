import CMosquitto
import Glibc

/// A means to wake a client that waits in `receive`, from any thread: an `eventfd` that the client polls with its
/// socket.
package final class Waker: Sendable {
    let descriptor: Int32

    /// - Throws: `MosquittoError` if the process has no descriptor left.
    package init() throws(MosquittoError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        guard descriptor >= 0 else { throw MosquittoError(.system, function: "eventfd", systemError: errno) }
    }

    deinit { close(descriptor) }

    /// Ends the current or the next wait; several calls before it count as one.
    package func wake() {
        // Fails only if 2^64 - 2 calls are pending; the client is then already awake.
        _ = eventfd_write(descriptor, 1)
    }

    /// Clears all wakes so far.
    func reset() {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor, &count)
    }
}
