import Domain
import Glibc
import Workers

/// The functions that both forms of log lines share.
enum LogText {
    /// The maximum bytes of a value, so that a line is no longer than a few of them.
    private static let valueMax = 1024

    /// Returns a value, cut to the maximum length.
    static func cut(_ text: String) -> String {
        guard text.utf8.count > valueMax else { return text }
        return String(decoding: text.utf8.prefix(valueMax), as: UTF8.self) + "…"
    }

    /// Writes a line to standard error in one call, so that lines of several threads don't mix.
    static func write(_ line: some Sequence<UInt8>) {
        let bytes = Array(line) + [UInt8(ascii: "\n")]
        LogTail.keep(bytes)
        _ = Glibc.write(2, bytes, bytes.count)
    }

    /// Returns the present time in UTC, as `2026-11-23T16:04:39.001Z`.
    static func now() -> String {
        let now = SystemClock().now.milliseconds
        var seconds = time_t(now / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let thousandth = String(now % 1000 + 1000).dropFirst()
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))T"
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).\(thousandth)Z"
    }
}
