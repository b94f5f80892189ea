import Glibc
import Metering

/// The source addresses of clients that connect through the service's WebSocket relay (`RelayPlace`).
struct RelayedAddress {
    /// The path of the address file, or empty if no relay is configured.
    let path: String

    /// Returns the client's own address if `address` is the relay's, and otherwise `address`.
    ///
    /// The file is read when a client connects. The relay writes the client's address to the file before the relay
    /// connects to the broker. While the connection lasts, no other client gets this client's part of the file.
    func client(of address: String) -> String {
        guard let place = RelayPlace.place(of: address), !path.isEmpty, let bytes = read(place) else { return address }
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
        guard bytes.contains(where: { $0 != 0 }) else { return nil }
        return SourceAddress.fourText(bytes) ?? SourceAddress.sixText(bytes)
    }
}
