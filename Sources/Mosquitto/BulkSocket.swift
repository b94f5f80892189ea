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

    /// Writes what waits; false with `errno` when not all could be written.
    func flush() -> Bool { bulk_socket_flush(buffers) }
}
