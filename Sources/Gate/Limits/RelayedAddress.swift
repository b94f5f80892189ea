import Glibc
import Metering

/// Finds the address of a client that came through the service's WebSocket relay (`RelayPlace`).
struct RelayedAddress {
    /// The file of addresses; empty where there is no relay.
    let path: String

    /// Returns the client's address where the broker's is one of the relay's, else the broker's.
    ///
    /// Read when a client connects: the relay has written it before, and gives the place to no other while the
    /// connection lasts.
    func client(of address: String) -> String {
        guard let place = RelayPlace.place(of: address), !path.isEmpty, let bytes = read(place)
        else { return address }
        return Self.text(bytes) ?? address
    }

    private func read(_ place: Int) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: RelayPlace.byteCount)
        let count = pread(file, &bytes, bytes.count, off_t(place &* RelayPlace.byteCount))
        return count == bytes.count ? bytes : nil
    }

    private static func text(_ bytes: [UInt8]) -> String? {
        let zeros = [UInt8](repeating: 0, count: 10)
        if bytes.starts(with: zeros + [0xFF, 0xFF]) {
            return bytes.suffix(4).map { String($0) }.joined(separator: ".")
        }
        guard bytes.contains(where: { $0 != 0 }) else { return nil }
        var out = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, bytes, &out, socklen_t(out.count)) != nil else { return nil }
        return out.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }
}
