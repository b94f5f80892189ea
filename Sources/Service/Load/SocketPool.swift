import Glibc

/// Many connections in one thread, waited for together; each has the number under which it was added.
///
/// `poll` and not `epoll`, which Swift's Glibc module leaves out: with some thousand sockets, of which many
/// are ready at once, a call costs well under a microsecond a message.
final class SocketPool {
    private(set) var sockets: [DeviceSocket?] = []
    private var entries: [pollfd] = []
    private let scratch = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 256 << 10,
        alignment: 16
    )

    deinit { scratch.deallocate() }

    /// Makes room for a number of connections that are not there yet.
    init(count: Int) {
        sockets = Array(repeating: nil, count: count)
        entries = Array(
            repeating: pollfd(fd: -1, events: Int16(POLLIN), revents: 0),
            count: count
        )
    }

    /// Puts a connection at its place, or takes it away.
    func set(_ index: Int, _ socket: DeviceSocket?) {
        sockets[index] = socket
        entries[index].fd = socket?.descriptor ?? -1
    }

    /// Writes what is queued on one connection.
    ///
    /// - Returns: False if the connection has ended; it is then taken away.
    @discardableResult
    func flush(_ index: Int) -> Bool {
        guard let socket = sockets[index] else { return false }
        do throws(LoadError) {
            try socket.flush()
            entries[index].events = Int16(socket.hasOutput ? POLLIN | POLLOUT : POLLIN)
            return true
        } catch {
            set(index, nil)
            return false
        }
    }

    /// Waits until something happens, hands over all packets that came, and writes what that led to.
    ///
    /// - Parameters:
    ///   - milliseconds: How long to wait at most.
    ///   - handle: Gets each packet with the number of its connection.
    ///   - lost: Gets the number of each connection that ended; it is already taken away.
    func turn(
        milliseconds: Int32,
        _ handle: (Int, MQTTPacket) -> Void,
        lost: (Int, LoadError) -> Void
    ) {
        guard poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return }
        for index in entries.indices where entries[index].revents != 0 {
            guard let socket = sockets[index] else { continue }
            do throws(LoadError) {
                if entries[index].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
                    try socket.read(with: scratch) { handle(index, $0) }
                }
                try socket.flush()
                entries[index].events = Int16(socket.hasOutput ? POLLIN | POLLOUT : POLLIN)
            } catch {
                set(index, nil)
                lost(index, error)
            }
        }
    }
}
