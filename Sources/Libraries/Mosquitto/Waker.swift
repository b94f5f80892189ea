import CMosquitto
import Glibc

/// An `eventfd` that the client polls in addition to its sockets, so that any thread can end the wait in `receive`.
package final class Waker: Sendable {
    let descriptor: Int32

    /// - Throws: `MosquittoError` if the process has no descriptor left.
    package init() throws(MosquittoError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        guard descriptor >= 0 else { throw MosquittoError(.system, function: "eventfd", systemError: errno) }
    }

    deinit { close(descriptor) }

    /// Ends the client's current or next wait; several calls before a wait end only that wait.
    package func wake() {
        // The write fails only if 2^64 - 2 calls are pending, and then the client is already awake.
        _ = eventfd_write(descriptor, 1)
    }

    /// Clears all earlier calls of `wake()`.
    func reset() {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor, &count)
    }
}
