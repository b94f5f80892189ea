import Files
import Glibc
import Web

/// A watch on the broker's log for failed TLS handshakes, and for clients that used QoS 2.
///
/// Mosquitto 2.0.11 reports both only in its log, and without the client's address. For a failed handshake, the client
/// id is missing too.
struct BrokerLogWatch {
    private let path: String
    private var offset: Int

    /// The maximum number of bytes that one call reads.
    private static let readMax = 64 << 10
    /// The log's text before the first message of OpenSSL.
    private static let mark = "OpenSSL Error[0]: "
    /// The log's words before and after the id of a client disconnected for QoS 2.
    private static let qos = (before: "Too high QoS in PUBLISH from ", behind: ", disconnecting.")

    /// Starts watching at the current end of the log.
    init(path: String) {
        self.path = path
        offset = TextFile.size(path) ?? 0
    }

    /// Returns the refusals logged since the last call.
    mutating func take() -> [ListenerRefusal] {
        guard let size = TextFile.size(path), size != offset else { return [] }
        // If the log was truncated, it is read from its beginning again.
        if size < offset { offset = 0 }
        let bytes = read()
        guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else {
            // `readMax` bytes without a line break can be skipped, because relevant lines are shorter.
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

    /// Returns the client id if a line reports QoS 2, otherwise nil.
    static func client(_ line: some StringProtocol) -> String? {
        guard let start = line.firstRange(of: qos.before)?.upperBound, line.hasSuffix(qos.behind) else { return nil }
        return String(line[start...].dropLast(qos.behind.count))
    }

    /// Returns the cause of the failed handshake that a line reports, or nil for other lines.
    static func fault(_ line: some StringProtocol) -> String? {
        guard let start = line.firstRange(of: mark)?.upperBound else { return nil }
        // A client that merely drops its connection causes this error too, so the error isn't counted.
        guard !line.contains("unexpected eof") else { return nil }
        // An example of the rest of a line: `error:0A000418:SSL routines::tlsv1 alert unknown ca`.
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
