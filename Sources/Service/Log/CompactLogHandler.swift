import Domain
import Glibc
package import Logging
import Workers

/// Writes one line per event to standard error: time, level, message, `key=value` sorted by key.
package struct CompactLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?

    /// Makes a handler that drops what is less important than a level.
    package init(level: Logger.Level) { logLevel = level }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { _, new in new } }
        if let own = event.metadata { all.merge(own) { _, new in new } }
        var line = "\(Self.now()) \(Self.word(event.level)) \(Self.plain("\(event.message)"))"
        for (key, value) in all.sorted(by: { $0.key < $1.key }) {
            line += " \(key)=\(Self.quoted("\(value)"))"
        }
        line += "\n"
        // One write call, so that lines of several threads don't mix.
        line.withUTF8 { bytes in _ = write(2, bytes.baseAddress, bytes.count) }
    }

    private static func word(_ level: Logger.Level) -> String {
        let word = level.rawValue
        return word + String(repeating: " ", count: max(0, 7 - word.count))
    }

    /// Local values that come from outside must not start lines of their own or steer the terminal.
    private static func plain(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) else {
            return text
        }
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : $0 }
            )
        )
    }

    /// Bytes of one value that are written, so that no line is longer than a few of them.
    private static let valueMax = 1024

    private static func quoted(_ text: String) -> String {
        let isLong = text.utf8.count > valueMax
        let cut = isLong ? String(decoding: text.utf8.prefix(valueMax), as: UTF8.self) + "…" : text
        let text = plain(cut)
        guard text.isEmpty || text.contains(where: { $0 == " " || $0 == "\"" || $0 == "=" }) else {
            return text
        }
        return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    private static func now() -> String {
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

/// Sets up logging for the process, once.
package enum LogSetup {
    /// Sends all logging to standard error from a level on; `none` sends nothing.
    package static func install(level: String) {
        guard let level = Logger.Level(rawValue: level) else {
            LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
            return
        }
        LoggingSystem.bootstrap { _ in CompactLogHandler(level: level) }
    }
}
