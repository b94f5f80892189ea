import CBulkSocket

/// Makes libmosquitto read and write one socket in bulk: otherwise each packet costs three system calls for
/// reading and two for writing, a quarter of the service's time.
///
/// It belongs to the thread of its client, and can't be used on a TLS connection.
final class BulkSocket {
    private let buffers: OpaquePointer

    /// Makes the buffers, 64 KiB each way; nil when there is no memory.
    init?() {
        guard let buffers = bulk_socket_new() else { return nil }
        self.buffers = buffers
    }

    deinit { bulk_socket_free(buffers) }

    /// Routes this thread's calls of the library through the buffers, until `leave`.
    ///
    /// Written bytes wait for `flush`.
    func enter(_ socket: Int32) { bulk_socket_enter(buffers, socket) }

    /// The opposite of `enter`.
    func leave() { bulk_socket_leave() }

    /// The next byte that was read ahead.
    var next: UInt8? { UInt8(exactly: bulk_socket_next(buffers)) }

    /// Holds acknowledgements in a queue of their own until `release`.
    func hold() { bulk_socket_hold(buffers) }

    /// Releases the oldest held acknowledgements; they leave with the next `flush`.
    func release(_ count: Int) { bulk_socket_release(buffers, count) }

    /// Whether the library's writes come here: from 2.0.15 on they don't, and nothing is held.
    var isInterposed: Bool { bulk_socket_is_interposed(buffers) }

    /// Whether `flush` has bytes left to write.
    var isPending: Bool { bulk_socket_pending(buffers) }

    /// Writes the buffered bytes; false with `errno` if some are left.
    func flush() -> Bool { bulk_socket_flush(buffers) }
}
