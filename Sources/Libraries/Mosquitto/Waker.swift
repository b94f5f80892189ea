import CMosquitto
import Glibc

/// An `eventfd` with which any thread can end the client's wait in `receive`.
package final class Waker: Sendable {
    let descriptor: Int32

    /// - Throws: `MosquittoError` if the process has no descriptor left.
    package init() throws(MosquittoError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        guard descriptor >= 0 else { throw MosquittoError(.system, function: "eventfd", systemError: errno) }
    }

    deinit { close(descriptor) }

    /// Ends the client's current or next wait (only one wait, even after several calls).
    package func wake() {
        // The write fails only if 2^64 - 2 calls are pending. The client is then already awake.
        _ = eventfd_write(descriptor, 1)
    }

    /// Clears all earlier calls of `wake()`.
    func reset() {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor, &count)
    }
}
