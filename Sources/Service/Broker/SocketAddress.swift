import Glibc

/// An IPv4 or IPv6 address with a port, in the form that system calls need.
struct SocketAddress {
    private var storage = sockaddr_storage()
    private let length: socklen_t

    /// Parses an IPv4 or IPv6 address or `localhost`, and returns nil for anything else.
    init?(_ host: String, _ port: Int) {
        guard let number = in_port_t(exactly: port) else { return nil }
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, host == "localhost" ? "127.0.0.1" : host, &four) == 1 {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = number.bigEndian
            address.sin_addr = four
            length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in.self) }
        } else if inet_pton(AF_INET6, host, &six) == 1 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = number.bigEndian
            address.sin6_addr = six
            length = socklen_t(MemoryLayout<sockaddr_in6>.size)
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in6.self) }
        } else {
            return nil
        }
    }

    var family: Int32 { Int32(storage.ss_family) }

    func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// Returns the port to which a socket is bound.
    static func port(of descriptor: Int32) -> Int {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard code == 0 else { return 0 }
        // The port has the same offset in both kinds of address.
        return withUnsafeBytes(of: address) {
            Int(in_port_t(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: in_port_t.self)))
        }
    }
}
