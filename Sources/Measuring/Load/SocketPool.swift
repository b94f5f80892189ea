import CLinux
import Glibc

/// Numbered connections, for which a single thread waits with one system call.
///
/// With `epoll`, waiting for thousands of connections costs no more than waiting for ten. The cost matters because the
/// load shares the processor with the measured system.
package final class SocketPool {
    /// The connections by their numbers, with nil for an unused number.
    package private(set) var sockets: [DeviceSocket?] = []
    private let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    private var isWriting: [Bool]
    private var events = [epoll_event](repeating: epoll_event(), count: 256)
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)

    deinit {
        scratch.deallocate()
        close(descriptor)
    }

    /// Makes room for a number of connections.
    package init(count: Int) {
        sockets = Array(repeating: nil, count: count)
        isWriting = Array(repeating: false, count: count)
    }

    /// Sets the connection that has the given number, or removes that connection if `socket` is nil.
    package func set(_ index: Int, _ socket: DeviceSocket?) {
        // The replaced connection closes its descriptor, which also removes the descriptor from `epoll`.
        sockets[index] = socket
        isWriting[index] = false
        if let socket { watch(index, socket, operation: EPOLL_CTL_ADD) }
    }

    private func watch(_ index: Int, _ socket: DeviceSocket, operation: Int32) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | (isWriting[index] ? EPOLLOUT.rawValue : 0)
        event.data.u64 = UInt64(index)
        epoll_ctl(descriptor, operation, socket.descriptor, &event)
    }

    private func watchOutput(_ index: Int, _ socket: DeviceSocket) {
        guard socket.hasOutput != isWriting[index] else { return }
        isWriting[index] = socket.hasOutput
        watch(index, socket, operation: EPOLL_CTL_MOD)
    }

    /// Writes the bytes that are queued on a connection.
    ///
    /// - Returns: False if the connection has ended. The pool then removes the connection.
    @discardableResult
    package func flush(_ index: Int) -> Bool {
        guard let socket = sockets[index] else { return false }
        do throws(LoadError) {
            try socket.flush()
            watchOutput(index, socket)
            return true
        } catch {
            set(index, nil)
            return false
        }
    }

    /// Disconnects and removes a connection, so that the broker doesn't publish the connection's will.
    package func end(_ index: Int) {
        sockets[index]?.disconnect()
        set(index, nil)
    }

    /// Waits for events, passes all received packets to `handle`, and writes the queued bytes.
    ///
    /// - Parameters:
    ///   - milliseconds: The longest wait.
    ///   - handle: Receives each packet with the number of its connection.
    ///   - lost: Receives the number of each connection that has ended. The pool has already removed the connection.
    package func turn(milliseconds: Int32, _ handle: (Int, MQTTPacket) -> Void, lost: (Int, LoadError) -> Void) {
        let count = epoll_wait(descriptor, &events, Int32(events.count), milliseconds)
        guard count > 0 else { return }
        for event in events[..<Int(count)] {
            let index = Int(event.data.u64)
            guard let socket = sockets[index] else { continue }
            do throws(LoadError) {
                if event.events & ~EPOLLOUT.rawValue != 0 { try socket.read(with: scratch) { handle(index, $0) } }
                try socket.flush()
                watchOutput(index, socket)
            } catch {
                set(index, nil)
                lost(index, error)
            }
        }
    }
}
