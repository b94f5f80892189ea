import Glibc

/// A connection's source for the limits: an IPv4 address or an IPv6 /64 network.
///
/// A home or a server has at least a /64 network. A single IPv6 address therefore identifies neither of them.
struct SourceAddress: Equatable {
    /// The text of the source, such as `192.0.2.7` or `2001:db8:0:1::/64`.
    let text: String

    /// Returns the source of a client's address, or nil for 127.0.0.1 and ::1.
    ///
    /// All clients of a local proxy share these addresses. A client of a local socket has no address, so the result is
    /// also nil.
    init?(_ address: String) {
        var four = in_addr()
        if inet_pton(AF_INET, address, &four) == 1 {
            guard four.s_addr != UInt32(0x7F00_0001).bigEndian else { return nil }
            text = address
            return
        }
        let plain = String(address.prefix { $0 != "%" })
        var six = in6_addr()
        guard inet_pton(AF_INET6, plain, &six) == 1 else {
            guard !address.isEmpty else { return nil }
            text = address
            return
        }
        guard let text = Self.text(withUnsafeBytes(of: six) { Array($0) }) else { return nil }
        self.text = text
    }

    private static func text(_ bytes: [UInt8]) -> String? {
        if let four = fourText(bytes) { return SourceAddress(four)?.text }
        guard bytes != [UInt8](repeating: 0, count: 15) + [1] else { return nil }
        return sixText(Array(bytes.prefix(8)) + [UInt8](repeating: 0, count: 8)).map { $0 + "/64" }
    }

    /// Returns the IPv4 address of an IPv4-mapped IPv6 address, or nil for other addresses.
    static func fourText(_ bytes: [UInt8]) -> String? {
        let prefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        guard bytes.starts(with: prefix) else { return nil }
        return bytes.suffix(4).map(String.init).joined(separator: ".")
    }

    /// Returns the text of the sixteen bytes of an IPv6 address.
    static func sixText(_ bytes: [UInt8]) -> String? {
        var out = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, bytes, &out, socklen_t(out.count)) != nil else { return nil }
        return out.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }
}
