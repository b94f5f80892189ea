import Glibc

/// The version of the broker that has loaded the gate, which no function of the broker returns.
enum BrokerVersion {
    /// Whether the broker is of the version with which the private structures were tested: Mosquitto 2.0.11.
    ///
    /// False if the program can't be read.
    static let isTested = isNamed("2.0.11", in: "/proc/self/exe")

    /// Returns whether a program contains the version as a separate string, as Mosquitto does for its log.
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
                    // Only the first and the last byte are zero, so no match begins inside another.
                    matched = byte == text[matched] ? matched &+ 1 : byte == 0 ? 1 : 0
                    if matched == text.count { return true }
                }
            }
        }
    }
}
