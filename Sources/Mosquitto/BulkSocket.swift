import CBulkSocket

/// Has libmosquitto read and write one socket in bulk: without it each packet costs it three reads and
/// two writes of the system's, a quarter of the service's time.
///
/// It belongs to the thread of its client, and is of no use on a TLS connection.
final class BulkSocket {
    private let buffers: OpaquePointer

    /// Makes the buffers, 64 KiB each way; nil when there is no memory.
    init?() {
        guard let buffers = bulk_socket_new() else { return nil }
        self.buffers = buffers
    }

    deinit { bulk_socket_free(buffers) }

    /// Has this thread's calls of the library go through the buffers, until `leave`.
    ///
    /// What it writes meanwhile waits for `flush`.
    func enter(_ socket: Int32) { bulk_socket_enter(buffers, socket) }

    /// The opposite of `enter`.
    func leave() { bulk_socket_leave() }

    /// The next byte that was read ahead.
    var next: UInt8? { UInt8(exactly: bulk_socket_next(buffers)) }

    /// Has acknowledgements stay in a queue of their own until `release`.
    func hold() { bulk_socket_hold(buffers) }

    /// Lets the oldest acknowledgements that are held leave with the next `flush`.
    func release(_ count: Int) { bulk_socket_release(buffers, count) }

    /// Whether the library's writes come here: from 2.0.15 on it writes otherwise, and nothing is held.
    var isInterposed: Bool { bulk_socket_is_interposed(buffers) }

    /// Whether something is left for `flush`.
    var isPending: Bool { bulk_socket_pending(buffers) }

    /// Writes what waits; false with `errno` when not all could be written.
    func flush() -> Bool { bulk_socket_flush(buffers) }
}
