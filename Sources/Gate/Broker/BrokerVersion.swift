import Glibc

/// The version of the broker that has loaded the gate.
///
/// The broker has no function that returns its version.
enum BrokerVersion {
    /// Whether the broker's version is the one with which the private structures were tested: Mosquitto 2.0.11.
    ///
    /// The value is false if the broker's program file can't be read.
    static let isTested = isNamed("2.0.11", in: "/proc/self/exe")

    /// Returns whether a program contains a version as a separate string, as Mosquitto does for its log.
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
                    // Only the first and the last byte of the text are zero, so no match can begin inside another.
                    matched = byte == text[matched] ? matched &+ 1 : byte == 0 ? 1 : 0
                    if matched == text.count { return true }
                }
            }
        }
    }
}
