import Glibc

/// An IPv4 or IPv6 address.
///
/// An IPv6 address that contains a mapped IPv4 address (`::ffff:192.0.2.7`) is converted to the IPv4 address.
package struct InternetAddress: Hashable, Sendable {
    /// The 4 or 16 bytes of the address, in network order.
    package let bytes: [UInt8]

    /// Makes an address from 4 or 16 bytes, or returns nil for any other number of bytes.
    package init?(_ bytes: [UInt8]) {
        switch bytes.count {
        case 4: self.bytes = bytes
        case 16: self.bytes = bytes.starts(with: Self.mapped) ? Array(bytes.suffix(4)) : bytes
        default: return nil
        }
    }

    /// Parses an address with or without IPv6's brackets, or returns nil for host names.
    ///
    /// An IPv4 address can have any form that libcurl accepts. For example, `2130706433`, `0x7f.1` and `127.1` all mean
    /// 127.0.0.1.
    package init?(_ text: String) {
        let plain = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET6, plain, &six) == 1 {
            self.init(withUnsafeBytes(of: six) { Array($0) })
        } else if plain.utf8.allSatisfy({ $0.isLetterOrDigit || $0 == UInt8(ascii: ".") }),
            inet_aton(plain, &four) != 0
        {
            self.init(withUnsafeBytes(of: four.s_addr) { Array($0) })
        } else {
            return nil
        }
    }

    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// Whether the address is public unicast, and not a loopback, private, carrier, multicast or documentation address.
    ///
    /// The decision follows IANA's registries of special-purpose addresses (RFC 6890). An IPv6 address that contains an
    /// IPv4 address is public if that IPv4 address is public.
    package var isPublic: Bool {
        if bytes.count == 4 { return !AddressBlock.special.contains { $0.contains(self) } }
        if let inner { return inner.isPublic }
        // A public unicast address of IPv6 begins with the bits 001 (RFC 4291). Every public address that begins with
        // other bits contains an IPv4 address. For such an address, the line above has already returned the result.
        return bytes[0] & 0xE0 == 0x20 && !AddressBlock.special.contains { $0.contains(self) }
    }

    /// The IPv4 address in a NAT64, 6to4 or ISATAP address, or nil for any other address.
    private var inner: InternetAddress? {
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8)) {
            return InternetAddress(Array(bytes.suffix(4)))
        }
        if bytes.starts(with: [0x20, 0x02]) { return InternetAddress(Array(bytes[2..<6])) }
        let isTunnel = bytes[8] & 0xFD == 0 && bytes[9...11].elementsEqual([0x00, 0x5E, 0xFE])
        return isTunnel ? InternetAddress(Array(bytes.suffix(4))) : nil
    }
}

/// A block of addresses, such as 10.0.0.0/8, or a single address.
package struct AddressBlock: Hashable, Sendable {
    private let first: InternetAddress
    private let bits: Int

    /// Parses a block in CIDR notation or a single address, or returns nil.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = InternetAddress(String(parts[0])) else { return nil }
        let most = first.bytes.count * 8
        guard let bits = parts.count == 2 ? Int(parts[1]) : most, (0...most).contains(bits) else { return nil }
        (self.first, self.bits) = (first, bits)
    }

    /// Returns whether the block contains an address.
    package func contains(_ address: InternetAddress) -> Bool {
        guard address.bytes.count == first.bytes.count else { return false }
        return zip(address.bytes, first.bytes).enumerated().allSatisfy { index, pair in
            let left = min(8, max(0, bits - index * 8))
            return (pair.0 ^ pair.1) >> UInt8(8 - left) == 0
        }
    }

    /// The blocks whose addresses are not public.
    fileprivate static let special = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4", "2001::/23", "2001:db8::/32", "3fff::/20",
    ].compactMap { AddressBlock($0) }
}
