import CMosquittoBroker
import Glibc
import Metering

// Connections without a whole CONNECT. The broker tells no plugin of them, and keeps for each as much as a packet may
// have, for as long as it likes: a TLS handshake, a CONNECT of which the end is missing, or nothing. The gate finds them
// among the sockets of the process.
extension Gate {
    /// How long a connection may go on without a CONNECT while memory is full, in milliseconds.
    private static let patienceWhenFull: Int64 = 2_000

    /// Closes connections that sent no CONNECT in time: at once while newcomers are refused, since memory ends.
    func closeUnconnected(at steady: Int64) {
        let seconds = settings.limits.connectSeconds
        guard seconds > 0, BrokerVersion.isTested,
            steady &- unconnected.reviewedAt >= (isFull ? 100 : 1_000)
        else { return }
        let known = Set(clients.keys.compactMap(PrivateStructure.socket))
        let patience =
            isCrowded ? 0 : isFull ? Self.patienceWhenFull : Int64(seconds) &* 1_000
        unconnected.review(besides: known, at: steady, patience: patience)
    }
}

/// The sockets of connections without a CONNECT, with the time at which each was seen first.
struct Unconnected {
    /// A connection; its number may be another one's by the next look, its remote address may not.
    private struct Connection {
        let peer: Int
        let since: Int64
    }

    private var seen: [Int32: Connection] = [:]
    private(set) var reviewedAt: Int64 = .min / 2

    /// Looks at all connections beside those of `known` clients, and ends those seen first `patience` milliseconds ago.
    mutating func review(besides known: Set<Int32>, at steady: Int64, patience: Int64) {
        reviewedAt = steady
        var found: [Int32: Connection] = [:]
        for socket in Self.sockets() where !known.contains(socket) {
            guard let peer = Self.peer(of: socket) else { continue }
            let connection =
                seen[socket].flatMap { $0.peer == peer ? $0 : nil }
                ?? Connection(peer: peer, since: steady)
            found[socket] = connection
            // The broker closes it when it next reads.
            if connection.since < steady, steady &- connection.since >= patience {
                shutdown(socket, Int32(SHUT_RDWR))
            }
        }
        seen = found
    }

    /// Returns the descriptors of the process.
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

    /// Returns a number for the other end of a TCP connection; nil for anything else.
    private static func peer(of socket: Int32) -> Int? {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &size) }
        }
        guard code == 0, [AF_INET, AF_INET6].contains(Int32(address.ss_family)) else { return nil }
        return withUnsafeBytes(of: address) { bytes in
            var hasher = Hasher()
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(size))))
            return hasher.finalize()
        }
    }
}
