import Glibc

/// IP addresses as text.
enum AddressText {
    /// Returns an IPv6 address of 16 bytes in its usual form, such as `::1`.
    static func six(_ bytes: [UInt8]) -> String? {
        var out = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard bytes.count == 16, inet_ntop(AF_INET6, bytes, &out, socklen_t(out.count)) != nil
        else {
            return nil
        }
        return out.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }
}
