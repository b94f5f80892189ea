import Domain
import Glibc
import Logging
import Workers

/// A log handler that writes each event to standard error as one line.
protocol LineLogHandler: LogHandler {
    /// The level below which events are dropped, unless `LogOverride` sets another level.
    var ownLevel: Logger.Level { get set }
    /// Returns the line of an event, without a line break.
    func line(for event: LogEvent, at time: String) -> [UInt8]
}

extension LineLogHandler {
    var logLevel: Logger.Level {
        get { LogOverride.current?.level ?? ownLevel }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { LogText.write(line(for: event, at: LogText.now())) }

    /// Returns the metadata of the event, the logger and the metadata provider, sorted by key.
    func values(of event: LogEvent) -> [(key: String, value: Logger.MetadataValue)] {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { _, new in new } }
        if let own = event.metadata { all.merge(own) { _, new in new } }
        return all.sorted { $0.key < $1.key }
    }
}

/// The functions that the compact and the JSON log handler share.
enum LogText {
    /// The maximum number of bytes of a value, which limits a line's length.
    private static let valueMax = 1024

    /// Returns a value, shortened if it is too long.
    static func cut(_ text: String) -> String {
        guard text.utf8.count > valueMax else { return text }
        return String(decoding: text.utf8.prefix(valueMax), as: UTF8.self) + "…"
    }

    /// Writes a line with one system call, so that threads' lines don't mix.
    static func write(_ line: some Sequence<UInt8>) {
        let bytes = Array(line) + [UInt8(ascii: "\n")]
        LogTail.keep(bytes)
        _ = Glibc.write(2, bytes, bytes.count)
    }

    /// Returns the present time in UTC, in the form `2026-11-23T16:04:39.001Z`.
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
