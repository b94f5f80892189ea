/// The place of a client's address in the file that the relay for web clients writes for the gate.
///
/// Mosquitto 2.0.11 doesn't support the PROXY protocol. A plugin gets only the source address of a connection. For each
/// client, the relay therefore connects to the broker from a separate loopback address, 127.64.0.1 to 127.64.255.254.
/// The last two bytes of the loopback address are the number of the client's place. Each place has 16 bytes for the
/// client's IPv6 address. IPv4 addresses are mapped into ::ffff:0:0/96.
package enum RelayPlace {
    /// The number of places in the file.
    package static let count = 1 << 16
    /// The number of bytes of one place.
    package static let byteCount = 16

    private static let prefix = "127.64."

    /// Returns the loopback address of a place.
    package static func address(of place: Int) -> String { "\(prefix)\(place >> 8 & 255).\(place & 255)" }

    /// Returns the place for the relay's loopback address, or nil for any other address.
    package static func place(of address: String) -> Int? {
        guard address.hasPrefix(prefix) else { return nil }
        let parts = address.utf8.dropFirst(prefix.utf8.count).split(separator: UInt8(ascii: "."))
        guard parts.count == 2, let high = UInt8(String(decoding: parts[0], as: UTF8.self)),
            let low = UInt8(String(decoding: parts[1], as: UTF8.self))
        else { return nil }
        return Int(high) << 8 | Int(low)
    }
}
