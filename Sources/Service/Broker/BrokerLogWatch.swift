import Files
import Glibc
import Web

/// Finds clients whose TLS handshake failed, or that used QoS 2, in the log of the broker of `up`.
///
/// Mosquitto 2.0.11 tells of them there alone, and without their addresses; of a handshake without the client as well.
struct BrokerLogWatch {
    private let path: String
    private var offset: Int

    /// Bytes that are read at once; what is behind them comes next time.
    private static let readMax = 64 << 10
    /// What stands before the library's words, the first of them where there are several.
    private static let mark = "OpenSSL Error[0]: "
    /// What stands around the client id of a connection that ended since it used QoS 2.
    private static let qos = (before: "Too high QoS in PUBLISH from ", behind: ", disconnecting.")

    /// Begins behind what the log holds now.
    init(path: String) {
        self.path = path
        offset = TextFile.size(path) ?? 0
    }

    /// Returns what was refused since the last time.
    mutating func take() -> [ListenerRefusal] {
        guard let size = TextFile.size(path), size != offset else { return [] }
        // Renamed, and begun again.
        if size < offset { offset = 0 }
        let bytes = read()
        guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else {
            // No line is that long: what can't be understood is not waited for.
            if bytes.count == Self.readMax { offset += bytes.count }
            return []
        }
        offset += end + 1
        return String(decoding: bytes[...end], as: UTF8.self).split(separator: "\n")
            .compactMap { line in
                Self.fault(line).map { ListenerRefusal(.handshake, address: "", detail: $0) }
                    ?? Self.client(line).map { ListenerRefusal(.qos, address: "", detail: $0) }
            }
    }

    /// Returns the id of a client that used QoS 2; nil for other lines.
    static func client(_ line: some StringProtocol) -> String? {
        guard let start = line.firstRange(of: qos.before)?.upperBound, line.hasSuffix(qos.behind)
        else { return nil }
        return String(line[start...].dropLast(qos.behind.count))
    }

    /// Returns what was wrong with a handshake; nil for other lines.
    static func fault(_ line: some StringProtocol) -> String? {
        guard let start = line.firstRange(of: mark)?.upperBound else { return nil }
        // So a connection ends too whose client leaves without a word.
        guard !line.contains("unexpected eof") else { return nil }
        // Such as `error:0A000418:SSL routines::tlsv1 alert unknown ca`.
        return line[start...].split { $0 == ":" }.last.map { String($0) }
    }

    private func read() -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.readMax)
        let count = pread(file, &bytes, bytes.count, off_t(offset))
        return Array(bytes.prefix(max(0, count)))
    }
}
