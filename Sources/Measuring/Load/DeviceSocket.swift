package import Glibc

/// A simulated client's MQTT connection: a non-blocking socket, and the unsent bytes.
///
/// A connection belongs to one thread. One system call sends all queued packets, and one system call reads all received
/// packets.
package final class DeviceSocket {
    let descriptor: Int32
    private var output: [UInt8] = []
    /// The bytes of a packet that has not arrived completely.
    private var input: [UInt8] = []
    private var lastMid: UInt16 = 0
    /// The number of published messages that the broker has not confirmed.
    package private(set) var unconfirmed = 0

    /// Begins to connect to an address, and queues the CONNECT packet.
    package init(address: sockaddr_in, login: MQTTWriter.Login) throws(LoadError) {
        descriptor = try address.connect(isBlocking: false)
        MQTTWriter.connect(login, into: &output)
    }

    deinit { close(descriptor) }

    /// Whether the connection has bytes that are not yet written.
    package var hasOutput: Bool { !output.isEmpty }

    /// Queues a message with QoS 1.
    package func publish(topic: [UInt8], payload: some Collection<UInt8>) {
        unconfirmed += 1
        MQTTWriter.publish(topic: topic, payload: payload, mid: nextMid(), into: &output)
    }

    /// Queues a subscription with QoS 1.
    package func subscribe(_ filters: [String]) { MQTTWriter.subscribe(filters, mid: nextMid(), into: &output) }

    /// Queues a PINGREQ packet.
    package func ping() { MQTTWriter.ping(into: &output) }

    /// Disconnects, so that the broker doesn't publish the will.
    package func disconnect() {
        MQTTWriter.disconnect(into: &output)
        try? flush()
    }

    /// Writes as many of the queued bytes as the system accepts.
    ///
    /// - Throws: `LoadError` when the connection has ended.
    package func flush() throws(LoadError) {
        guard !output.isEmpty else { return }
        let written = output.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if written == output.count {
            output.removeAll(keepingCapacity: true)
        } else if written >= 0 {
            output.removeFirst(written)
        } else if errno != EAGAIN && errno != ENOTCONN && errno != EINTR {
            throw .system(function: "send", code: errno)
        }
    }

    /// Reads once into `scratch`, which all connections share, and passes the complete packets to `handle`.
    ///
    /// The acknowledgement of a message is queued after `handle` returns, and the next `flush()` sends it.
    /// - Throws: `LoadError` when the connection has ended.
    package func read(with scratch: UnsafeMutableRawBufferPointer, _ handle: (MQTTPacket) -> Void) throws(LoadError) {
        let count = recv(descriptor, scratch.baseAddress, scratch.count, 0)
        if count == 0 { throw .closed }
        if count < 0 {
            if errno == EAGAIN || errno == EINTR { return }
            throw .system(function: "recv", code: errno)
        }
        let received = UnsafeRawBufferPointer(rebasing: scratch[..<count])
        if input.isEmpty {
            let used = try take(received, handle)
            if used < count { input.append(contentsOf: received[used...]) }
        } else {
            input.append(contentsOf: received)
            let whole = input
            var used = 0
            var failure: LoadError?
            whole.withUnsafeBytes { bytes in
                do throws(LoadError) { used = try take(bytes, handle) } catch { failure = error }
            }
            if let failure { throw failure }
            input.removeFirst(used)
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer, _ handle: (MQTTPacket) -> Void) throws(LoadError) -> Int {
        var at = 0
        while at < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[at...])
            guard let (packet, size) = try MQTTReader.next(in: rest) else { break }
            if case .publishAnswer = packet { unconfirmed -= 1 }
            handle(packet)
            if case .publish(_, _, let mid?) = packet {
                MQTTWriter.acknowledge(mid, into: &output)
            }
            at += size
        }
        return at
    }

    private func nextMid() -> UInt16 {
        lastMid = lastMid == .max ? 1 : lastMid + 1
        return lastMid
    }
}

extension sockaddr_in {
    /// Makes a socket address from a port and a host, which is an IPv4 address or `localhost`.
    package init(host: String, port: Int) {
        self.init()
        sin_family = sa_family_t(AF_INET)
        sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        sin_addr.s_addr = inet_addr(host == "localhost" ? "127.0.0.1" : host)
    }

    /// Opens a TCP connection, from the address `source` if it isn't nil.
    ///
    /// If `isBlocking` is false, the function doesn't wait for the connection.
    ///
    /// - Returns: The socket's descriptor.
    /// - Throws: `LoadError`.
    package func connect(isBlocking: Bool = true, from source: sockaddr_in? = nil) throws(LoadError) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw .system(function: "socket", code: errno) }
        if !isBlocking { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
        if let source { _ = source.withAddress { bind(descriptor, $0, $1) } }
        let result = withAddress { Glibc.connect(descriptor, $0, $1) }
        guard result == 0 || errno == EINPROGRESS else {
            let code = errno
            close(descriptor)
            throw .system(function: "connect", code: code)
        }
        return descriptor
    }

    /// Calls `body` with the address in the form that system calls need.
    package func withAddress<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
        withUnsafePointer(to: self) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Listens for TCP connections at the address.
    ///
    /// - Returns: The socket's descriptor and port. If the address has port 0, the system chooses the port.
    /// - Throws: `LoadError`.
    package func listen() throws(LoadError) -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let isOpen = withAddress { bind(descriptor, $0, $1) } == 0 && Glibc.listen(descriptor, 512) == 0
        guard isOpen else { throw .system(function: "listen", code: errno) }
        var own = self
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &own) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        return (descriptor, Int(in_port_t(bigEndian: own.sin_port)))
    }
}
