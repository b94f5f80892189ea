import Glibc

/// The broker's version, read from its program file because no function returns the version.
enum BrokerVersion {
    /// Whether the broker is Mosquitto 2.0.11, whose private structures were tested.
    static let isTested = isNamed("2.0.11", in: "/proc/self/exe")

    /// Returns whether a program file contains a version as a whole string, between two zero bytes.
    static func isNamed(_ version: String, in path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        let text = [0] + Array(version.utf8) + [0]
        var matched = 0
        return withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
            while true {
                let count = read(file, buffer.baseAddress, buffer.count)
                guard count > 0 else { return false }
                for byte in buffer.prefix(count) {
                    // A match begins with a zero byte, and `text` has no other zero byte before its end. If a match
                    // fails, only the current byte can therefore begin a new match.
                    matched = byte == text[matched] ? matched &+ 1 : byte == 0 ? 1 : 0
                    if matched == text.count { return true }
                }
            }
        }
    }
}
