import CMosquittoBroker
import Glibc
import Metering

// The closing of connections that haven't sent a complete CONNECT. Such a connection is silent, or is in the middle of
// a TLS handshake or a CONNECT. The broker tells plugins nothing about connections without a CONNECT. For each
// connection, it buffers up to a whole packet, without a time limit. The gate finds these connections among the sockets
// of the process.
extension Gate {
    /// How many milliseconds a connection may take for its CONNECT while memory is full (`isFull`).
    private static let patienceWhenFull: Int64 = 2_000

    /// Closes connections without a CONNECT after a time, or at once while `isCrowded` is true.
    func closeUnconnected(at steady: Int64) {
        let seconds = settings.limits.connectSeconds
        guard seconds > 0, steady &- unconnected.reviewedAt >= (isFull ? 100 : 1_000) else { return }
        let connected = clients.values.filter(\.isConnected)
        let known = Set(connected.compactMap(\.socket))
        // If the socket of one client is unknown, any socket could belong to that client.
        guard known.count == connected.count else { return }
        let patience = isCrowded ? 0 : isFull ? Self.patienceWhenFull : Int64(seconds) &* 1_000
        unconnected.review(besides: known, at: steady, patience: patience)
    }
}

/// The sockets of connections that haven't sent a CONNECT, with the time at which each was first seen.
struct Unconnected {
    /// A connection, with a hash of its remote address and port (`peer`).
    ///
    /// A later connection can get the same descriptor. Its hash shows that it is a different connection.
    private struct Connection {
        let peer: Int
        let since: Int64
    }

    private var seen: [Int32: Connection] = [:]
    private(set) var reviewedAt: Int64 = .min / 2

    /// Ends accepted connections that are not in `known` and were first seen `patience` ms ago or earlier.
    mutating func review(besides known: Set<Int32>, at steady: Int64, patience: Int64) {
        reviewedAt = steady
        var found: [Int32: Connection] = [:]
        let sockets = Self.sockets().filter { !known.contains($0) }
        let listened = Set(sockets.filter(Self.isListening).compactMap(Self.port))
        for socket in sockets where Self.port(of: socket).map(listened.contains) == true {
            guard let peer = Self.name(of: socket, getpeername).map(Self.number) else { continue }
            let connection =
                seen[socket].flatMap { $0.peer == peer ? $0 : nil } ?? Connection(peer: peer, since: steady)
            found[socket] = connection
            // The broker closes the connection when the broker's next read finds that the socket is shut down.
            if connection.since < steady, steady &- connection.since >= patience { shutdown(socket, Int32(SHUT_RDWR)) }
        }
        seen = found
    }

    private static func sockets() -> [Int32] {
        guard let folder = opendir("/proc/self/fd") else { return [] }
        defer { closedir(folder) }
        var found: [Int32] = []
        while let entry = readdir(folder) {
            let number = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { strtol($0, nil, 10) }
            }
            if number > 2 { found.append(Int32(truncatingIfNeeded: number)) }
        }
        return found
    }

    private static func isListening(_ socket: Int32) -> Bool {
        var isListening: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0 && isListening != 0
    }

    /// Returns a TCP socket's local port in network byte order, or nil for other descriptors.
    private static func port(of socket: Int32) -> UInt16? {
        name(of: socket, getsockname).map { address in
            withUnsafeBytes(of: address) { $0.load(fromByteOffset: 2, as: UInt16.self) }
        }
    }

    /// Returns a TCP connection's remote address without its port, or nil for other descriptors.
    static func address(of socket: Int32) -> String? {
        guard let peer = name(of: socket, getpeername) else { return nil }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
            let (size, start) = (socklen_t(MemoryLayout<sockaddr_in6>.size), text.baseAddress)
            let code = withUnsafePointer(to: peer) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getnameinfo($0, size, start, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
                }
            }
            guard code == 0, let start else { return nil }
            // The broker's addresses contain no interface name, so the function removes the name from this address.
            return String(cString: start).split(separator: "%").first.map(String.init)
        }
    }

    private static func name(
        of socket: Int32,
        _ ask: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
    ) -> sockaddr_storage? {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(socket, $0, &size) }
        }
        let isTCP = [AF_INET, AF_INET6].contains(Int32(address.ss_family))
        return code == 0 && isTCP ? address : nil
    }

    private static func number(of peer: sockaddr_storage) -> Int {
        withUnsafeBytes(of: peer) { bytes in
            var hasher = Hasher()
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes.prefix(MemoryLayout<sockaddr_in6>.size)))
            return hasher.finalize()
        }
    }
}
