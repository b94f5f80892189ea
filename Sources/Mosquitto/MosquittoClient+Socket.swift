import CMosquitto
import Glibc

/// Options of the socket that the library opened, whose descriptor `mosquitto_socket` returns.
extension MosquittoClient {
    /// Enlarges the buffers to a whole window, so that neither side waits for the other's next
    /// turn, and lets the last segment of each write leave at once.
    func tuneSocket() {
        // If the system refuses or reduces a size, the connection still works, with more turns.
        set(SO_SNDBUF, at: SOL_SOCKET, to: Self.bufferBytes)
        set(SO_RCVBUF, at: SOL_SOCKET, to: Self.bufferBytes)
        set(TCP_NODELAY, at: Int32(IPPROTO_TCP), to: 1)
    }

    /// Lets the system fill segments (TCP_CORK), or sends the rest.
    ///
    /// The library writes each packet separately, and each would be a segment that wakes the
    /// broker.
    func gatherSegments(_ isOn: Bool) { set(TCP_CORK, at: Int32(IPPROTO_TCP), to: isOn ? 1 : 0) }

    private static let bufferBytes: Int32 = 1 << 20

    private func set(_ option: Int32, at level: Int32, to value: Int32) {
        let socket = mosquitto_socket(handle)
        guard socket >= 0 else { return }
        var value = value
        setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
